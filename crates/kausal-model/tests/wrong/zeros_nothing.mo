// expect: K0351
model M
  Real x = zeros();
end M;
