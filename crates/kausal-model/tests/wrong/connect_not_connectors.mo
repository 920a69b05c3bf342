// expect: K0232
model M "variables that are not connectors"
  Real x = 1;
  Real y;
equation
  connect(x, y);
end M;
