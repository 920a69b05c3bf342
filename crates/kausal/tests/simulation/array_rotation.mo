// A matrix differential equation: a rotation about the axis (1, 1, 1).
model M
  parameter Real w[3] = {1, 1, 1};
  parameter Real W[3, 3] = [0, -w[3], w[2]; w[3], 0, -w[1]; -w[2], w[1], 0];
  Real R[3, 3](start = identity(3), each fixed = true);
  Real trace = sum(R[i, i] for i in 1:3);
  Real length = sqrt(R[:, 1]*R[:, 1]);
equation
  der(R) = W*R;
  annotation(experiment(StopTime = 5, Tolerance = 1e-10));
end M;
