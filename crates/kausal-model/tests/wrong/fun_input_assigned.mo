// expect: K0375 K0378
model M
  function f
    input Real u;
    output Real y;
    algorithm
      u := 1;
      y := u;
  end f;
  Real x = f(time);
end M;
