// expect: K0349
model M
  Real y = der("a");
end M;
