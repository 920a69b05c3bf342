// A thermostat with hysteresis.
model M
  Real x(start = 0.4, fixed = true);
  Boolean heats(start = true, fixed = true);
  Integer switched(start = 0, fixed = true);
equation
  heats = not (x > 0.6) and (x < 0.4 or pre(heats));
  der(x) = (if heats then 1 else 0) - x;
  when change(heats) then
    switched = pre(switched) + 1;
  end when;
  annotation(experiment(StopTime = 10, Tolerance = 1e-9));
end M;
