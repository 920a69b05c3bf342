// expect: K0339
model M "ten thousand million terms"
  parameter Integer n = 100000;
  Real y;
equation
  y = time*sum(i*j for i in 1:n, j in 1:n);
end M;
