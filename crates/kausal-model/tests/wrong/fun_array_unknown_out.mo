// expect: K0316
model M
  function f
    input Integer n;
    output Real y[:];
    algorithm
      y := ones(n);
  end f;
  Real x[3] = f(2);
end M;
