// expect: K0324
model M
  parameter Real p = time;
  Real x = p;
end M;
