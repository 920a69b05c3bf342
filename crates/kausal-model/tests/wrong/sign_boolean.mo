// expect: K0349
model M
  Real x = sign(true);
end M;
