// A Real variable that is given a whole number, and what it was before, and read later.
model M
  Integer level(start = 3) = if time < 0.3 then 3 else 4;
  Real now = level;
  Real before = pre(level);
  Integer later = integer(delay(before, 0.25) + 0.5);
  Integer rises(start = 0, fixed = true);
equation
  when later > 3 then
    rises = pre(rises) + 1;
  end when;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end M;
