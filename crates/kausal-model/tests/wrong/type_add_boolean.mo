// expect: K0340
model M "a Boolean is not a number"
  Boolean b = time > 1;
  Real x = 1 + b;
end M;
