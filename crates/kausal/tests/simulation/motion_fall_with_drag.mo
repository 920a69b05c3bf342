// Free fall against drag with the square of the speed.
model M
  parameter Real g = 9.81, k = 0.1;
  Real v(start = 0, fixed = true), x(start = 0, fixed = true);
equation
  der(v) = g - k*v*abs(v);
  der(x) = v;
  annotation(experiment(StopTime = 4, Tolerance = 1e-9));
end M;
