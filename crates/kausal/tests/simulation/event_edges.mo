// Rising edges, changes and a flip-flop.
model M
  Boolean q = sin(time) > 0;
  Integer rises(start = 0, fixed = true), changes(start = 0, fixed = true);
  Boolean flip(start = false, fixed = true);
equation
  when edge(q) then
    rises = pre(rises) + 1;
  end when;
  when change(q) then
    changes = pre(changes) + 1;
    flip = not pre(flip);
  end when;
  annotation(experiment(StopTime = 20, Tolerance = 1e-6));
end M;
