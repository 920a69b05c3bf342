// expect: K0240
model M
  Real x = 0;
equation
  der(x) = -x;
end M;
