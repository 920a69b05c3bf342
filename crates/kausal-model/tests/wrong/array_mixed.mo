// expect: K0331
model M "the elements have different types"
  parameter Real x[2] = {1, "two"};
end M;
