// The model itself ends the run.
model M
  Real x(start = 0, fixed = true);
  discrete Real last(start = 0, fixed = true);
equation
  der(x) = 2;
  when x > 3 then
    terminate("far enough");
  end when;
  when terminal() then
    last = x;
  end when;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end M;
