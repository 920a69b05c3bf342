// expect: K0202
model M
  Real x(start = x00);
equation
  der(x) = 1;
end M;
