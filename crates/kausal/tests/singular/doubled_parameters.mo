// expect: K0405
// Two parameters give one sum: they may happen to agree, but nothing then says how it divides.
model M
  parameter Real p = 1, q = 1;
  Real x, y;
equation
  x + y = p;
  2*x + 2*y = 2*q;
end M;
