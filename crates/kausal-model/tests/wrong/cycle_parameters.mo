// expect: K0315
model M "two parameters need each other"
  parameter Real a = 2*b;
  parameter Real b = a + 1;
  Real x = a;
end M;
