// expect: K0340
model M
  Boolean b = true == 1;
end M;
