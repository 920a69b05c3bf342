// expect: K0202
package Lib
  package Units
    type Length = Real(unit = "m");
  end Units;
  model M "a package that does not exist"
    Unit.Length s = 1;
  end M;
end Lib;
