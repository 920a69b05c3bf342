// A rate that changes at known instants.
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = if time < 0.3 then 1 elseif time < 0.7 then -2 else 0.5;
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end M;
