// expect: K0375 K0385
model M
  function f
    input Real x;
    output Real y;
  equation
    y = 2*x;
  end f;
  Real y = f(time);
end M;
