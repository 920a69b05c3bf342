// expect: K0202 K0202 K0375
model M
  function f
    input Real u;
    output Real y;
    algorithm
      z := u;
      y := z;
  end f;
  Real x = f(time);
end M;
