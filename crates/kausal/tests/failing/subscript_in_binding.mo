// expect: K0510
// says: the subscript p is outside 1:2
model M
  parameter Integer p(fixed = false, start = 1);
  parameter Real b[2] = {5, 6};
  parameter Real c = b[p];
  Real x;
initial equation
  p = 3;
equation
  x = c*time;
end M;
