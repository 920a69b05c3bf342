// expect: K0511
// says: the subscript i is outside 1:3
// recorded: 0.7
// In an equation, where other elements would do as well.
model M
  parameter Real a[3] = {1, 2, 3};
  Real y;
  Integer i;
equation
  i = 1 + integer(4*time);
  y = a[i]*time;
end M;
