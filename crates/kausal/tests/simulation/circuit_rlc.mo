// A series resonant circuit after a step: underdamped.
model M
  parameter Real R = 2, L = 1, C = 0.1, V = 1;
  Real i(start = 0, fixed = true);
  Real u(start = 0, fixed = true);
equation
  L*der(i) = V - R*i - u;
  C*der(u) = i;
  annotation(experiment(StopTime = 5, Tolerance = 1e-8));
end M;
