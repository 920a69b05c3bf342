// expect: K0219
package Lib
  package Units
    type Length = Real(unit = "m");
  end Units;
  model M "an import needs the full name from the top"
    import Units.Length;
    Length s = 1;
  end M;
end Lib;
