// expect: K0328
model M
  Real u = time;
  Real x(start = u);
equation
  der(x) = 1;
end M;
