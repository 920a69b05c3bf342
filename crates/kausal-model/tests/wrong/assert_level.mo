// expect: K0351
model M
  Real x = 1;
equation
  assert(x > 0, "x", 3);
end M;
