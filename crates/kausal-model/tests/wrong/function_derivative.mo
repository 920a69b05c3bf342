// expect: K0384 K0375
package Lib
  function f
    input Real x;
    output Real y;
  algorithm
    y := x^2;
  end f;
  function fz = der(f, z);
  model M "there is no such input"
    Real y = fz(time);
  end M;
end Lib;
