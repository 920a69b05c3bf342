// 13.2.1: the four kinds of imports; imports are not inherited.
package Units
  type Length = Real(unit = "m");
  constant Real mile = 1609.344;
  constant Real yard = 0.9144;
  function twice
    input Real u;
    output Real y;
  algorithm
    y := 2*u;
  end twice;
end Units;
model Imports
  import Units.Length;
  import U = Units;
  import Units.{mile, yard};
  model Wide
    import Units.*;
    Length l = twice(time*yard);
  end Wide;
  Length a = mile*time;
  U.Length b = yard*U.twice(time);
  Wide w;
end Imports;
