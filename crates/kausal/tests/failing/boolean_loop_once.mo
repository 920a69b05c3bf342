// expect: K0510
// says: b = (x - 0.5) < 0
// says: no value of b agrees
// A condition that decides against itself, in equations of numbers alone.
model M
  Real x;
  Boolean b;
equation
  b = x < 0.5;
  x = if b then 1 else 0;
end M;
