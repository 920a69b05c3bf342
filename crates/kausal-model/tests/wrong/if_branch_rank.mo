// expect: K0343
model M
  Real x = if true then 1 else {1, 2};
end M;
