// A crank whose rod gives the position of the piston implicitly. At dead centre an assertion leaves it no more than
// rounding: what is asserted is solved to the last digit, not to the tolerance of the iteration.
model M
  parameter Real r = 0.05, l = 0.17;
  Real phi(start = 1, fixed = true);
  Real s(start = 0.2);
  Integer n(start = 0, fixed = true);
equation
  der(phi) = 20;
  (sqrt((s - r*cos(phi))^2 + (r*sin(phi))^2) - l)*(3 + tanh(s)) = 0;
  when sin(phi) > 0 then
    n = pre(n) + 1;
  end when;
  assert(s <= r + l + 1e-13, "the piston leaves the cylinder");
  annotation(experiment(StopTime = 10, Tolerance = 1e-6));
end M;
