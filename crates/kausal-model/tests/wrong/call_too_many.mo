// expect: K0371
model M "too many arguments"
  function f
    input Real a;
    input Real b = 1;
    output Real y;
  algorithm
    y := a + b;
  end f;
  Real x = f(1, 2, 3);
end M;
