// expect: K0435
// w follows from time alone: to tear the loop of x and y at it means nothing.
model M
  Real x, y, z, w;
equation
  x + y = 3 + residue(w);
  x - y = 1;
  w = z + 1;
  z = time;
end M;
