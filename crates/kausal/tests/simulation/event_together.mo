// Steps at the same instants but for rounding: of two branches, of two cascades, and of a sample.
model M
  Real u = 7*time - 3.5;
  Real r = if 0 < u then floor(u + 0.5) else ceil(u - 0.5);
  Real v = 7*time - 0.5;
  Integer n = if 0 < r then integer(floor(r + 0.5)) else integer(ceil(r - 0.5));
  Integer k = integer(floor(v + 0.5));
  Real area(start = 0, fixed = true), whole(start = 0, fixed = true), apart(start = 0, fixed = true);
  Integer ticks(start = 0, fixed = true);
equation
  der(area) = r;
  der(whole) = n;
  der(apart) = k - n;
  when sample(0, 1/7) then
    ticks = pre(ticks) + 1;
  end when;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end M;
