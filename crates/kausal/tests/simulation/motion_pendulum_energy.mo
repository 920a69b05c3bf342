// A pendulum that turns over for a hundred seconds keeps its energy.
model M
  parameter Real g = 9.81, l = 1;
  Real phi(start = 0, fixed = true), w(start = 7, fixed = true);
  Real energy = 0.5*(l*w)^2 + g*l*(1 - cos(phi));
equation
  der(phi) = w;
  l*der(w) = -g*sin(phi);
  annotation(experiment(StopTime = 100, Tolerance = 1e-10));
end M;
