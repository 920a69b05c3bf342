// No states at all, and few output points.
model M
  Real y = sin(30*time);
  Integer n(start = 0, fixed = true);
equation
  when y > 0.9 then
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 10, Interval = 5));
end M;
