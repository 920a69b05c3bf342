// expect: K0371
package Lib
  function f
    input Real x;
    output Real y = 2*x;
  algorithm
  end f;
  model M
    Real z = f(time, 2);
  end M;
end Lib;
