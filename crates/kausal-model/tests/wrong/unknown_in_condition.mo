// expect: K0202
model M
  Real x if usee;
end M;
