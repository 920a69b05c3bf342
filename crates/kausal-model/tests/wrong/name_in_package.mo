// expect: K0202
package Lib
  package Units
    type Length = Real(unit = "m");
  end Units;
  model M "the package exists, the type does not"
    Units.Lenght s = 1;
  end M;
end Lib;
