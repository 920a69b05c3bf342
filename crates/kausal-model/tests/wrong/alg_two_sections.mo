// expect: K0240
model M
  Real x;
algorithm
  x := 1;
algorithm
  x := 2;
end M;
