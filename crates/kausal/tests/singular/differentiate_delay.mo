// expect: K0412
// A delayed value has no derivative.
model M
  Real x, v;
equation
  x = delay(sin(time), 0.1);
  v = der(x);
end M;
