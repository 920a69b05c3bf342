// expect: K0373 K0375
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
    input Real k;
    output Real y = k*u;
  end h;
  function outer_
    output Real y = g(function h(u = 2));
  end outer_;
  Real x = outer_();
end M;
