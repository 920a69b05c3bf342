// expect: K0404
// The third equation is the sum of the others; names are those of the text, whoever is left of equal variables.
model M
  Real x, y, z, w;
equation
  x + y + w = 3;
  x - y = time;
  2*x + z = 3 + time;
  z = w;
end M;
