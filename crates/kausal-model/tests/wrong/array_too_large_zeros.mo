// expect: K0308
model M "a size with a wrong power of ten"
  parameter Real x[:, :] = zeros(30000, 30000);
  Real y = sum(x);
end M;
