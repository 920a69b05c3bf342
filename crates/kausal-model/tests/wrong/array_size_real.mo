// expect: K0312
model M "half an element"
  parameter Real n = 2.5;
  Real x[n];
end M;
