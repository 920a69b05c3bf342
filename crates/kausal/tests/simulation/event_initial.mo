// What happens at the start happens once.
model M
  Integer n(start = 5, fixed = true);
  discrete Real at(start = -1, fixed = true);
equation
  when {initial(), time > 1} then
    n = pre(n) + 1;
    at = time;
  end when;
  annotation(experiment(StopTime = 2, Tolerance = 1e-6));
end M;
