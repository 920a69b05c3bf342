// expect: K0375 K0389
model M
  Real k = time;
  function f
    input Real u;
    output Real y = u + k;
  end f;
  Real x = f(1);
end M;
