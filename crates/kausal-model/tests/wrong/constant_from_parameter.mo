// expect: K0324
model M
  parameter Real p = 1;
  constant Real c = p;
  Real x = c;
end M;
