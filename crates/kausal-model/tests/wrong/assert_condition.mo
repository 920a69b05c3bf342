// expect: K0351
model M "the condition of assert must be Boolean"
  Real x = time;
equation
  assert(x, "x is not a condition");
end M;
