// expect: K0340
model M "not needs a Boolean"
  Real x = time;
  Boolean b = not x;
end M;
