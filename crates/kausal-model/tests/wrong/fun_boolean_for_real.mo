// expect: K0373
model M
  function f
    input Real u;
    output Real y;
    algorithm
      y := u;
  end f;
  Real x = f(true);
end M;
