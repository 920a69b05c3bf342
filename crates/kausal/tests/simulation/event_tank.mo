// Torricelli's tank runs empty and stays empty.
model M
  Real h(start = 1, fixed = true);
  Boolean empty(start = false, fixed = true);
equation
  der(h) = if empty then 0 else -0.5*sqrt(max(h, 0));
  when h < 1e-6 then
    empty = true;
    reinit(h, 0);
  end when;
  annotation(experiment(StopTime = 6, Tolerance = 1e-9));
end M;
