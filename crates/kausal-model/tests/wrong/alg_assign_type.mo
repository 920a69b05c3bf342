// expect: K0379
model M
  Real x;
algorithm
  x := "a";
end M;
