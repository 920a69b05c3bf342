// Crossings that lie a billionth of the period before ticks take none of them away.
model M
  Real x(start = 0, fixed = true);
  Integer ticks(start = 0, fixed = true), crossings(start = 0, fixed = true);
equation
  der(x) = 1;
  when sample(0.1, 0.1) then
    ticks = pre(ticks) + 1;
  end when;
  when x >= 0.1 - 1e-11 then
    crossings = pre(crossings) + 1;
  elsewhen x >= 0.3 - 3e-17 then
    crossings = pre(crossings) + 1;
  elsewhen x >= 0.5 + 1e-13 then
    crossings = pre(crossings) + 1;
  end when;
  annotation(experiment(StopTime = 1.05));
end M;
