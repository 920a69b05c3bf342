// expect: K0217
package Lib
  partial model TwoPin
    Real v;
  end TwoPin;
  model M "a component of a partial class"
    TwoPin p;
  end M;
end Lib;
