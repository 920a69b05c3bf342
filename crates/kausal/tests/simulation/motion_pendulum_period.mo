// A pendulum of large amplitude.
model M
  Real phi(start = 2, fixed = true), w(start = 0, fixed = true);
  discrete Real turned(start = 0, fixed = true);
  Integer swings(start = 0, fixed = true);
equation
  der(phi) = w;
  der(w) = -sin(phi);
  when w > 0 then
    turned = time;
    swings = pre(swings) + 1;
  end when;
  annotation(experiment(StopTime = 30, Tolerance = 1e-10));
end M;
