// expect: K0249
package Lib
  model A
    parameter Real p = 1;
  end A;
  model M
    import Lib.A.p;
    Real x = p;
  end M;
end Lib;
