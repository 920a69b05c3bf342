// expect: K0340
model M
  Boolean b = 1 and true;
end M;
