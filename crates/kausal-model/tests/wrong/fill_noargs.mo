// expect: K0351
model M
  Real x = fill();
end M;
