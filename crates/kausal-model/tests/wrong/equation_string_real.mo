// expect: K0362
model M
  Real x;
equation
  x = "a";
end M;
