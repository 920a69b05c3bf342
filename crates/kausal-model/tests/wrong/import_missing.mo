// expect: K0219
package Lib
  package Units
    type Length = Real(unit = "m");
  end Units;
  model M "an import of something that does not exist"
    import Lib.Units.Lenght;
    Real x = 1;
  end M;
end Lib;
