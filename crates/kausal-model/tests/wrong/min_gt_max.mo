// expect: K0330
model M
  parameter Real p(min = 2, max = 1) = 1.5;
  Real x = p;
end M;
