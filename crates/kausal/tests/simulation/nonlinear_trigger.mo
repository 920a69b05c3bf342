// A Schmitt trigger without events in a loop with an integrator: an amplifier with positive feedback has three solutions as long as its input is
// between the thresholds, and must stay on its branch up to the end of it, whatever steps are tried and given up.
model M
  parameter Real gain = 1000;
  Real x(start = 0, fixed = true);
  Real y(start = -1);
equation
  der(x) = -y;
  y = smooth(0, noEvent(if gain*(x + y/2) > 1 then 1 elseif gain*(x + y/2) < -1 then -1 else gain*(x + y/2)));
  annotation(experiment(StopTime = 2.2, Tolerance = 1e-6));
end M;
