// expect: K0315
package Lib
  constant Real a = b;
  constant Real b = a;
  model M "two constants need each other"
    Real x = a;
  end M;
end Lib;
