// expect: K0510
// says: p
// A parameter without a value among the numbers.
model M
  parameter Real q = -1;
  parameter Real p = sqrt(q);
  Real x = p;
end M;
