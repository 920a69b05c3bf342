// A block slides to rest, sticks, and breaks away when the force has grown.
model M
  parameter Real grip = 1;
  Real x(start = 0, fixed = true), v(start = 2, fixed = true), f;
  Boolean moves(start = true, fixed = true);
equation
  f = 0.2*time;
  der(x) = v;
  der(v) = if not moves then 0 else if time < 3 then -grip else f - grip;
  when v < 0 then
    moves = false;
    reinit(v, 0);
  elsewhen f > grip then
    moves = true;
  end when;
  annotation(experiment(StopTime = 8, Tolerance = 1e-9));
end M;
