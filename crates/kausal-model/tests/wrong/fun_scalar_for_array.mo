// expect: K0376
model M
  function f
    input Real u[3];
    output Real y;
    algorithm
      y := u[1];
  end f;
  Real x = f(time);
end M;
