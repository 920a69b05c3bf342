// A Schmitt trigger with a steep amplifier, in small units and without events: beyond a threshold the flat piece it was on
// ends, and what is off by much there is small for the steep piece beside it. It must not be taken for a solution.
model M
  parameter Real gain = 15000, r = 1000, limit = 15;
  Real v(start = 1, fixed = true);
  Real i(start = -0.0075);
  Real u, out;
equation
  der(v) = out/limit;
  u = r*i - v;
  out = 2*r*i;
  out = smooth(0, noEvent(if gain*u > limit then limit elseif gain*u < -limit then -limit else gain*u));
  annotation(experiment(StopTime = 60, Tolerance = 1e-9));
end M;
