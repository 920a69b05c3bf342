// expect: K0420
// An integrator in steady state has a position that nothing determines, and a speed that is determined twice.
model M
  Real x, v;
initial equation
  der(x) = 0;
  der(v) = 0;
equation
  der(x) = v;
  der(v) = -v;
end M;
