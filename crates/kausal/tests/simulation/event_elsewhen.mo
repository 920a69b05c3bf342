// Of two conditions that become true together the first one counts.
model M
  Integer n(start = 0, fixed = true);
  discrete Real x(start = 0, fixed = true);
equation
  when time >= 1 then
    n = 1;
    x = pre(x) + 10;
  elsewhen time >= 0.5 and time < 1 or time >= 1 then
    n = 2;
    x = pre(x) + 1;
  elsewhen sample(1, 1) then
    n = 3;
    x = pre(x) + 100;
  end when;
  annotation(experiment(StopTime = 2.5, Tolerance = 1e-6));
end M;
