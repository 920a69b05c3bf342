// expect: K0375 K0389
model M
  parameter Real k = 1;
  function f
    input Real u;
    output Real y;
  algorithm
    y := u + k;
  end f;
  Real x = f(time);
end M;
