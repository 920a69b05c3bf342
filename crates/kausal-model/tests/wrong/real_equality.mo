// expect: K0359
model M
  Real x = sin(time);
  Boolean b = x == 0;
end M;
