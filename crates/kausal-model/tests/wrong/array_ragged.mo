// expect: K0332
model M "the rows have different lengths"
  parameter Real A[2, 2] = {{1, 2}, {3}};
end M;
