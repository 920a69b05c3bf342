// Two equal masses and three springs: the two normal modes.
model M
  parameter Real c = 1, k = 0.3;
  Real x[2](start = {1, 0}, each fixed = true), v[2](each start = 0, each fixed = true);
equation
  der(x) = v;
  der(v[1]) = -c*x[1] + k*(x[2] - x[1]);
  der(v[2]) = -c*x[2] + k*(x[1] - x[2]);
  annotation(experiment(StopTime = 40, Tolerance = 1e-9));
end M;
