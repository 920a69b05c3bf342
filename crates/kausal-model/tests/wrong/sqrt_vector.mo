// expect: K0313
model M
  Real x = sqrt({1, 2});
end M;
