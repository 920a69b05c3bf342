// expect: K0373
model M
  partial function Fp
    input Real u;
    output Real y;
  end Fp;
  function g
    input Fp f;
    output Real y;
  algorithm
    y := f(1.0);
  end g;
  function h
    input Real u;
    output Integer y = 2;
  end h;
  Real x = g(h);
end M;
