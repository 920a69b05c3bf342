// A voltage that leaves zero at an enormous rate and is held back by an exponential: a first try with a step of ordinary
// size overflows.
model M
  Real v(start = 0, fixed = true);
equation
  der(v) = 1e18*(2 - exp(v/0.025));
  annotation(experiment(StopTime = 1e-6, Tolerance = 1e-6));
end M;
