// expect: K0349
model M "the derivative of a Boolean"
  Boolean b = time > 1;
  Real x = der(b);
end M;
