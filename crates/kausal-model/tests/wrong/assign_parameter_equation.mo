// expect: K0325
model M "nothing is left for this equation to determine"
  parameter Real p = 1;
  Real x;
equation
  p = 2;
  x = p;
end M;
