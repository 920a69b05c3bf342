// Heat in a rod of 40 cells: a sine decays as the discrete Laplacian says.
model M
  parameter Integer n = 40;
  parameter Real pi = 3.14159265358979323846;
  Real u[n](start = {sin(i*pi/(n + 1)) for i in 1:n}, each fixed = true);
protected
  Real left = 0, right = 0;
equation
  der(u[1]) = (n + 1)^2*(left - 2*u[1] + u[2]);
  for i in 2:n - 1 loop
    der(u[i]) = (n + 1)^2*(u[i - 1] - 2*u[i] + u[i + 1]);
  end for;
  der(u[n]) = (n + 1)^2*(u[n - 1] - 2*u[n] + right);
  annotation(experiment(StopTime = 0.3, Tolerance = 1e-8));
end M;
