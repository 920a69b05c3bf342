// What depends on parameters only is computed with them, its iteration beginning with the start value; the start value must
// not come back later.
model M
  parameter Real guess = -1.5;
  Real x(start = 2*guess);
  Real y(start = 7*guess) = x;
equation
  x*x*x = 3*x + guess + 1.5 - 2;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end M;
