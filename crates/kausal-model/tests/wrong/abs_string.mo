// expect: K0349
model M
  Real x = abs("a");
end M;
