// expect: K0351
model M
  Real x = 1;
equation
  assert(x > 0, "x", "warning");
end M;
