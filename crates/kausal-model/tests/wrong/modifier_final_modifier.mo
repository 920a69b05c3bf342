// expect: K0214
package Lib
  model R
    parameter Real a = 1;
  end R;
  model Circuit
    R r(final a = 5);
  end Circuit;
  model M "a modifier that was final is modified again"
    Circuit c(r(a = 2));
  end M;
end Lib;
