// expect: K0340
model M
  Real x = time;
  Boolean b = not x;
end M;
