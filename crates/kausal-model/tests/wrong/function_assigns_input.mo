// expect: K0375 K0378
model M "a function assigns its input"
  function f
    input Real u;
    output Real y;
  algorithm
    u := 2;
    y := u;
  end f;
  Real x = f(time);
end M;
