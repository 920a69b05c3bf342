// expect: K0349
model M "the sine of a Boolean"
  Boolean b = time > 1;
  Real x = sin(b);
end M;
