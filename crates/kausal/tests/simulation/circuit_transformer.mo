// Two equal coupled coils, a step on one side: a linear system for the derivatives.
model M
  parameter Real L = 1, K = 0.6, R = 1, U = 1;
  Real i1(start = 0, fixed = true), i2(start = 0, fixed = true);
equation
  L*der(i1) + K*der(i2) + R*i1 = U;
  K*der(i1) + L*der(i2) + R*i2 = 0;
  annotation(experiment(StopTime = 5, Tolerance = 1e-8));
end M;
