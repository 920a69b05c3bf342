// expect: K0349
// A condition is nothing to tear at, and the value of residue is a number.
model M
  Boolean q;
equation
  q = residue(time > 0.5);
end M;
