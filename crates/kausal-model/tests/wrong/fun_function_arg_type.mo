// expect: K0373
model M
  partial function fp
    input Real u;
    output Real y;
  end fp;
  function g
    input fp f;
    input Real u;
    output Real y;
  algorithm
    y := f(u);
  end g;
  function h
    input Real a;
    input Real b;
    output Real y;
  algorithm
    y := a + b;
  end h;
  Real x = g(h, time);
end M;
