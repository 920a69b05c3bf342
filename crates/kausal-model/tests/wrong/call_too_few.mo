// expect: K0372
model M "an argument is missing"
  function f
    input Real a;
    input Real b = 1;
    output Real y;
  algorithm
    y := a + b;
  end f;
  Real x = f();
end M;
