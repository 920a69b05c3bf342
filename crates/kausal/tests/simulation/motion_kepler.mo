// An orbit of excentricity 0.6, three times around.
model M
  parameter Real e = 0.6;
  Real x(start = 1 - e, fixed = true), y(start = 0, fixed = true);
  Real vx(start = 0, fixed = true), vy(start = sqrt((1 + e)/(1 - e)), fixed = true);
protected
  Real r3 = (x^2 + y^2)^1.5;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -x/r3;
  der(vy) = -y/r3;
  annotation(experiment(StopTime = 20, Tolerance = 1e-11));
end M;
