// expect: K0371
model M
  function f
    input Real u;
    input Real v;
    output Real y;
    algorithm
      y := u + v;
  end f;
  Real x = f(1, u = 2);
end M;
