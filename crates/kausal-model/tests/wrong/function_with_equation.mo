// expect: K0375 K0385
model M
  function f
    input Real u;
    output Real y;
  equation
    y = u;
  end f;
  Real x = f(time);
end M;
