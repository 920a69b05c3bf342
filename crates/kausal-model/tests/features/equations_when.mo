// 8.3.5: when equations with elsewhen, vectors of conditions, reinit, terminate, assert.
model EquationsWhen
  Real h(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
  discrete Real last(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
  Boolean below = h < 0;
  Real w[2](each start = 0, each fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  der(w) = {1, 2};
  assert(h > -1, "far below: " + String(h), AssertionLevel.warning);
  when {below, h < 0 and v < 0} then
    reinit(v, -0.8*pre(v));
    n = pre(n) + 1;
    last = time;
  elsewhen sample(1, 0.5) then
    n = pre(n) + 10;
    last = if n > 100 then 0 else time;
    reinit(w, {0, 0});
  end when;
  when n > 20 then
    terminate("enough");
  end when;
end EquationsWhen;
