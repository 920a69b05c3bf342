// Of `x` with a start value and a derivative that only index reduction differentiates, `x` is the state.
model M
  Real x(start = 2), y(start = 1), z, w;
equation
  der(x) = -x;
  exp(z) + der(y) = 3;
  der(y) - z + x^3/8 + x = 0;
  der(z) + w = 0;
  annotation(experiment(StopTime = 1, Tolerance = 1e-9));
end M;
