// y = 1 follows from x1 = 2 and der(x3) = 2.5, whatever x3 is: one of these is left out, and not the value of x3.
model M
  Real x1(start = 2, fixed = true), x2, x3(start = 0.5, fixed = true), y;
initial equation
  der(x3) = 2.5;
  y = 1;
equation
  der(x1) = -x1;
  der(x2) = -x2;
  der(x3) = x2 - x3;
  y = -2*x1 + 2*x2 - 2*x3;
end M;
