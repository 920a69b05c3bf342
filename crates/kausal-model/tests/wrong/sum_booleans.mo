// expect: K0349
model M
  Real x = sum({true, false});
end M;
