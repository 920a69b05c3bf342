// expect: K0510
// says: a
// A truth value that is its own opposite.
model M
  Boolean a, b;
  Real x;
equation
  a = not b;
  b = x > 0;
  x = if a then 1 else -1;
end M;
