// expect: K0349
model M "the derivative of an Integer"
  Integer n = 3;
  Real x = der(n);
end M;
