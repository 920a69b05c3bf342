// Steps of the clock at instants that are known: nothing is searched for, and none is lost to rounding.
model M
  parameter Real p = 0.1;
  Real area(start = 0, fixed = true), saw;
  Integer quarters, tenths, ticks(start = 0, fixed = true);
equation
  quarters = integer(floor(4*time));
  tenths = integer(time/p);
  saw = mod(time, p);
  der(area) = tenths;
  when change(tenths) then
    ticks = pre(ticks) + 1;
  end when;
  annotation(experiment(StopTime = 3.05));
end M;
