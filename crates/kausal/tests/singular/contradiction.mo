// expect: K0240 K0401
// A number that is another number.
model M
  Real x;
equation
  x = time;
  0 = 1;
end M;
