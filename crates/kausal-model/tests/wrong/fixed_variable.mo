// expect: K0328
model M
  Real x(start = 1, fixed = time > 1);
equation
  der(x) = 1;
end M;
