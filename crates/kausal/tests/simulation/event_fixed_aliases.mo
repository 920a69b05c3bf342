// Discrete variables that are always equal, but were different before the start.
model M
  Integer a(start = 2, fixed = true);
  Integer b(start = 5, fixed = true);
  Integer c(start = 7, fixed = true);
  Integer from_a(start = 0), from_b(start = 0), from_c(start = 0);
equation
  a = if time < 0.5 then 1 else 3;
  a = b;
  b = -c;
  when {initial(), time > 0.5} then
    from_a = pre(a);
    from_b = pre(b);
    from_c = pre(c);
  end when;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end M;
