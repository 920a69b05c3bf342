// expect: K0319
model M
  function f
    input A u;
    output Real y;
    algorithm
      y := u.x;
  end f;
  model A
    Real x = 1;
  end A;
  A a;
  Real x = f(a);
end M;
