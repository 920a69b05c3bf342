// expect: K0328
model M
  Real x(start = time);
equation
  der(x) = 1;
end M;
