// expect: K0325
model M
  parameter Real p = 1;
  Real x;
algorithm
  p := 2;
  x := p;
end M;
