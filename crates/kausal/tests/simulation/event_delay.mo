// A signal half a second late.
model M
  Real x = sin(time);
  Real y = delay(x, 0.5);
  annotation(experiment(StopTime = 5, Tolerance = 1e-9));
end M;
