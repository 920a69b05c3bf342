// expect: K0350
model M "the derivative of an Integer"
  Integer n = 3;
  Real x = der(n);
end M;
