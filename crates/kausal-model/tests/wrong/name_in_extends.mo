// expect: K0202
package Lib
  partial model Base
    Real x;
  end Base;
  model M "the base class does not exist"
    extends Bsae;
  equation
    x = 1;
  end M;
end Lib;
