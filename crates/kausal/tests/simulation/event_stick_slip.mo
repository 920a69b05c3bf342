// A block on a spring, dragged by a belt: it sticks until the spring pulls it off, and slips back.
model M
  parameter Real belt = 0.5, c = 4, m = 1, fs = 2, fk = 1;
  Real x(start = 0, fixed = true), v(start = belt, fixed = true);
  Boolean sticks(start = true, fixed = true);
  Integer slips(start = 0, fixed = true);
  discrete Real last(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = if sticks then 0 else (fk - c*x)/m;
  when c*x > fs then
    sticks = false;
    slips = pre(slips) + 1;
    last = time;
  elsewhen v > belt then
    sticks = true;
    slips = pre(slips);
    last = pre(last);
    reinit(v, belt);
  end when;
  annotation(experiment(StopTime = 40, Tolerance = 1e-9));
end M;
