// The derivative of a speed stands in an initial equation only, and the speed itself is no state: what its derivative is
// follows from the equations of motion, which so determine how strong the drive begins.
model M
  Real angle(start = 0, fixed = true);
  Real speed(start = 0, fixed = true);
  Real drive;
  Real geared, w;
initial equation
  der(w) = 6;
equation
  der(angle) = speed;
  der(speed) = drive - angle;
  der(drive) = -drive;
  geared = 2*angle;
  w = der(geared);
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end M;
