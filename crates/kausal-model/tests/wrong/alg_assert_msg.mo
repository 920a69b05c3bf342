// expect: K0342
model M
  Real x;
algorithm
  x := 1;
  assert(x > 0, 3);
end M;
