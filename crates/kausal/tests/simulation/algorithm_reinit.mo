// A saw tooth and the end of the run, both decided in an algorithm section.
model M
  Real x(start = 0, fixed = true);
  Real y(start = 0, fixed = true);
  Integer teeth(start = 0, fixed = true);
equation
  der(x) = 1;
  der(y) = 2;
algorithm
  when x > 1 then
    reinit(x, 0.25);
    teeth := pre(teeth) + 1;
  end when;
  if teeth >= 3 then
    terminate("three teeth");
  end if;
  annotation(experiment(StopTime = 10, Tolerance = 1e-6));
end M;
