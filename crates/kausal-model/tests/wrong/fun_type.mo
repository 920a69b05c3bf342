// expect: K0375 K0379
model M
  function f
    input Real u;
    output Real y;
    algorithm
      y := "a";
  end f;
  Real x = f(time);
end M;
