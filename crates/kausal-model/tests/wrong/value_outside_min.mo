// expect: K0330
model M
  parameter Real p(min = 0) = -1;
  Real x = p;
end M;
