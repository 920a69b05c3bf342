// expect: K0375 K0382
model M
  function f
    input Real u;
    output Real y;
    algorithm
      y := u;
    algorithm
      y := 2*u;
  end f;
  Real x = f(time);
end M;
