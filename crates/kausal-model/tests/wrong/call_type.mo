// expect: K0373
model M "an argument of the wrong type"
  function f
    input Real a;
    input Real b = 1;
    output Real y;
  algorithm
    y := a + b;
  end f;
  Real x = f("one");
end M;
