// expect:
// The Jacobian is singular at the solution, and yet there is no other: x = 0, y = 1.
model M
  Real x(start = 0.5), y(start = 0.5);
equation
  x^2 + (y - 1)^2 = 0;
  x + y^3 = 1;
end M;
