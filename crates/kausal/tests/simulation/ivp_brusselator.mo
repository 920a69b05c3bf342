// The Brusselator with diffusion in 500 cells.
model M
  parameter Integer n = 500;
  parameter Real pi = 3.14159265358979323846;
  parameter Real gamma = (n + 1)^2/50;
  Real u[n](start = {1 + 0.5*sin(2*pi*i/(n + 1)) for i in 1:n}, each fixed = true);
  Real v[n](each start = 3, each fixed = true);
protected
  Real U[n + 2] = cat(1, {1}, u, {1}), V[n + 2] = cat(1, {3}, v, {3});
equation
  for i in 1:n loop
    der(u[i]) = 1 + u[i]^2*v[i] - 4*u[i] + gamma*(U[i] - 2*u[i] + U[i + 2]);
    der(v[i]) = 3*u[i] - u[i]^2*v[i] + gamma*(V[i] - 2*v[i] + V[i + 2]);
  end for;
  annotation(experiment(StopTime = 10, Tolerance = 1e-7, Interval = 1));
end M;
