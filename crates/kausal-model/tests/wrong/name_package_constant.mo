// expect: K0202
package Lib
  package Constants
    constant Real gravity = 9.81;
  end Constants;
  model M "a constant that the package does not have"
    Real a = Constants.gravitiy;
  end M;
end Lib;
