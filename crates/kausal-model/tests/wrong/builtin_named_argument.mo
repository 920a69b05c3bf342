// expect: K0351 K0351 K0375
model M
  function f
    input Real u;
    output Real y = sqrt(x = u);
  end f;
  Real x = abs(x = time);
  Real y = f(time);
  Real z = homotopy(simplified = time, actual = 2*time);
end M;
