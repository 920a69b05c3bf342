// Something stuck begins at rest. That it is stuck says it does not accelerate, and so does the initial equation; how
// drive and friction share the load is said by nobody, and friction stays at its guess. A combination that is tried
// before (not stuck, then `s` is -1) leaves no trace.
model M
  Real w(start = 0, fixed = true);
  Real drive, friction, acceleration;
  Real s(start = 0);
  Boolean stuck;
initial equation
  acceleration = 0;
equation
  der(w) = acceleration;
  der(drive) = 0;
  acceleration = drive + friction - 4;
  stuck = s < 2 and s > -2;
  acceleration = if stuck then 0 else s + 1;
  friction = if stuck then s else 2;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end M;
