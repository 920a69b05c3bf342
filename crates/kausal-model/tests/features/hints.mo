// residue and relax leave the formula and are kept as hints, on scalars and arrays.
model Hints
  Real x;
  Real y;
  Real v[2];
  Real w[2];
equation
  x + y^3 = residue(x);
  relax(y) = 2*x + time;
  v = {{1, 2}, {3, 4}}*w + residue(v);
  w = sin(relax(v));
end Hints;
