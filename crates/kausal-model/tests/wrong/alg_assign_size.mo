// expect: K0363
model M
  Real x[2];
algorithm
  x := {1, 2, 3};
end M;
