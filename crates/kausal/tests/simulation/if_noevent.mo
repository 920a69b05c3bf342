// A formula that must not be evaluated outside its domain.
model M
  Real x = 1 - time;
  Real y = noEvent(if x > 0 then sqrt(x) else 0);
  Real z = smooth(0, if x > 0 then x^2 else -x^2);
  annotation(experiment(StopTime = 2, Tolerance = 1e-6));
end M;
