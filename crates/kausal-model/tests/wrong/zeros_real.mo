// expect: K0312
model M
  Real x[2] = zeros(2.5);
end M;
