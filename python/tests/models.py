"""Small models with known solutions."""

MOTOR = """
model Motor "a motor with a winding"
  parameter Real J(unit = "kg.m2", min = 0) = 0.5 "inertia";
  parameter Real d = 1 "damping";
  parameter Integer n = 2;
  Real x[n] = fill(w, n);
  input Real u(start = 1, unit = "N.m");
  output Real y(unit = "W") = u*w "power";
  Real w(start = 0, fixed = true, unit = "rad/s") "speed";
equation
  J*der(w) = u - d*w;
end Motor;
"""

BALL = """
model Ball
  parameter Real e = 0.5;
  Real h(start = 1, fixed = true, unit = "m");
  Real v(start = 0, fixed = true, unit = "m/s");
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -e*pre(v));
  end when;
end Ball;
"""

# It takes as long as one lets it.
LONG = """
model Long
  parameter Real k = 1;
  input Real u;
  Real x(start = 1, fixed = true);
  Real y(start = 0, fixed = true);
equation
  der(x) = 1000*k*y + u;
  der(y) = -1000*k*x;
end Long;
"""
