// expect: K0375 K0383
model M
  function f
    input Real u;
    output Real y;
    output Real z;
    algorithm
      y := u;
  end f;
  Real x;
  Real w;
equation
  (x, w) = f(time);
end M;
