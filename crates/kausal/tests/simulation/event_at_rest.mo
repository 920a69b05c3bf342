// A block that a rising force breaks loose; before that the differences of its relations are zero but for rounding.
model M
  parameter Real c = 1e3;
  Real v(start = 0, fixed = true), s(start = 0, fixed = true), force, load;
  Boolean slides(start = false, fixed = true);
equation
  load = c*time;
  slides = load - 100*(1 + 1/3) > 0 or pre(slides) and v > 0;
  force = if slides then 100*(1 + 1/3) else load;
  der(v) = load - force;
  der(s) = v;
  annotation(experiment(StopTime = 0.2, Tolerance = 1e-8));
end M;
