// A duty that changes from period to period.
model M
  Integer k(start = -1, fixed = true);
  discrete Real begin(start = 0, fixed = true);
  Boolean on;
  Real charge(start = 0, fixed = true);
equation
  when sample(0, 1) then
    k = pre(k) + 1;
    begin = time;
  end when;
  on = time < begin + 1/(k + 2);
  der(charge) = if on then 1 else 0;
  annotation(experiment(StopTime = 6, Tolerance = 1e-8));
end M;
