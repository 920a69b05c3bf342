// expect: K0387
model M
  function f
    input Real u;
    output Real y;
    algorithm
      y := u;
    annotation(inverse(u = g(y)));
  end f;
  Real x = f(time);
end M;
