// expect: K0219
package Lib
  package Units
    type Length = Real(unit = "m");
    type Mass = Real(unit = "kg");
  end Units;
  model M "one name of a list does not exist"
    import Lib.Units.{Length, Weight};
    Length s = 1;
  end M;
end Lib;
