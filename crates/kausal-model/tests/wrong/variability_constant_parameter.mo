// expect: K0324
model M "a constant depends on a parameter"
  parameter Real p = 1;
  constant Real c = 2*p;
end M;
