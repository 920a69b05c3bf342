// Van der Pol's oscillator, very stiff.
model M
  parameter Real epsilon = 1e-6;
  Real x(start = 2, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  epsilon*der(v) = (1 - x^2)*v - x;
  annotation(experiment(StopTime = 2, Tolerance = 1e-9));
end M;
