// expect: K0510
// says: the subscript p is outside 1:1
model M
  parameter Integer p(fixed = false, start = 1);
  parameter Real b[1] = {5};
  parameter Real c(fixed = false);
  Real x;
initial equation
  p = 2;
  c = b[p];
equation
  x = c*time;
end M;
