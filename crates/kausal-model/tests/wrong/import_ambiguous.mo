// expect: K0254
package Lib
  package A
    constant Real g = 1;
    constant Real h = 1;
  end A;
  package B
    constant Real g = 2;
  end B;
  model M
    import Lib.A.*;
    import Lib.B.*;
    Real x = g*time;
    Real y = h*time;
  end M;
end Lib;
