// expect: K0225
package Lib
  partial model Base
    parameter Integer n = 1;
  end Base;
  model M "the inherited declaration is a different one"
    extends Base;
    parameter Real n = 2;
  end M;
end Lib;
