// expect: K0420 K0510
// says: x = 2
// Two initial values for one state.
model M
  Real x(start = 2, fixed = true);
initial equation
  x = 3;
equation
  der(x) = -x;
end M;
