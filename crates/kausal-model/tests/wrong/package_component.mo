// expect: K0224
package Lib
  package P
    constant Real c = 1;
  end P;
  model M "a component of a package"
    P p;
  end M;
end Lib;
