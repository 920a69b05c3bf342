// expect: K0317
model M
  Real x(fixed = 1, start = 0);
equation
  der(x) = 1;
end M;
