// Two equal balls on a line with a wall: speeds are exchanged.
model M
  Real x1(start = 1, fixed = true), v1(start = 1, fixed = true);
  Real x2(start = 2, fixed = true), v2(start = 0, fixed = true);
  Integer hits(start = 0, fixed = true);
equation
  der(x1) = v1;
  der(x2) = v2;
  der(v1) = 0;
  der(v2) = 0;
  when x1 > x2 then
    reinit(v1, pre(v2));
    reinit(v2, pre(v1));
  end when;
  when x2 > 3 then
    reinit(v2, -pre(v2));
  end when;
  when {x1 > x2, x2 > 3} then
    hits = pre(hits) + 1;
  end when;
  annotation(experiment(StopTime = 4, Tolerance = 1e-9));
end M;
