// expect: K0240
model M
  Real x = 1;
equation
  1 = 1;
end M;
