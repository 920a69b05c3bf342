// Whole equations that change with a condition.
model M
  parameter Boolean cubic = true;
  Real x(start = 0, fixed = true), y;
equation
  if time < 1 then
    der(x) = 1;
    y = x;
  else
    der(x) = -x;
    y = 2*x;
  end if;
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
end M;
