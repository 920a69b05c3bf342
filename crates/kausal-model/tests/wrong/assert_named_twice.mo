// expect: K0351
model M
  Real x = 1;
equation
  assert(condition = x > 0, condition = x > 1, message = "a");
end M;
