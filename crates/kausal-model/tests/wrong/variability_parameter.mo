// expect: K0324
model M "a parameter depends on a variable"
  Real x = time;
  parameter Real p = 2*x;
end M;
