// expect: K0388
model M
  function f
    input Real u;
    outer Real k;
    output Real y;
  algorithm
    y := u*k;
  end f;
  inner Real k = 2;
  Real x = f(time);
end M;
