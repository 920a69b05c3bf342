// Seven stars in the plane.
model M
  Real x[7](start = {3, 3, -1, -3, 2, -2, 2}, each fixed = true);
  Real y[7](start = {3, -3, 2, 0, 0, -4, 4}, each fixed = true);
  Real vx[7](start = {0, 0, 0, 0, 0, 1.75, -1.5}, each fixed = true);
  Real vy[7](start = {0, 0, 0, -1.25, 1, 0, 0}, each fixed = true);
  Real cube[7, 7] = {{if i == j then 1 else ((x[i] - x[j])^2 + (y[i] - y[j])^2)^1.5 for j in 1:7} for i in 1:7};
equation
  der(x) = vx;
  der(y) = vy;
  for i in 1:7 loop
    der(vx[i]) = sum(j*(x[j] - x[i])/cube[i, j] for j in 1:7);
    der(vy[i]) = sum(j*(y[j] - y[i])/cube[i, j] for j in 1:7);
  end for;
  annotation(experiment(StopTime = 3, Tolerance = 1e-10));
end M;
