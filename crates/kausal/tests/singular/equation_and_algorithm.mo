// expect: K0240 K0401
// A variable that an equation and an algorithm define.
model M
  Real x, y;
equation
  x = time;
  y = 3*x + sin(y);
algorithm
  x := 2*time;
end M;
