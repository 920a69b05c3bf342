// expect: K0387
model M
  function f
    input Real u;
    output Real y;
    algorithm
      y := u;
    annotation(derivative = g);
  end f;
  Real x = f(time);
end M;
