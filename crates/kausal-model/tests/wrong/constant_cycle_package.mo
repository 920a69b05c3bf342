// expect: K0315
package Lib
  constant Real a = b;
  constant Real b = a;
  model M
    Real x = a;
  end M;
end Lib;
