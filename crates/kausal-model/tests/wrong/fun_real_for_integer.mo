// expect: K0373
model M
  function f
    input Integer u;
    output Real y;
    algorithm
      y := u;
  end f;
  Real x = f(1.5);
end M;
