// expect: K0510
// says: the subscript p is outside 1:1
// The initial problem computes the subscript; an array with one element has no second one.
model M
  parameter Integer p(fixed = false, start = 1);
  Real a[1] = {2*time};
  Real x;
initial equation
  p = 2;
equation
  x = a[p];
end M;
