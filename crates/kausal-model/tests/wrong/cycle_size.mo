// expect: K0310
model M "a size depends on itself"
  parameter Integer n = size(x, 1);
  Real x[n] = ones(n);
end M;
