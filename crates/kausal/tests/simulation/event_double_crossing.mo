// A condition that holds for a tenth of a usual step only, at every maximum.
model M
  Real x(start = 0, fixed = true), v(start = 1, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  when x > 0.9999 then
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 100));
end M;
