// Whole numbers of a state that passes zero: 0 and -1, 1 and 0.
model M
  Real y(start = 0, fixed = true), z(start = 0, fixed = true);
  Integer down, up;
equation
  der(y) = cos(3*time);
  down = integer(y);
  up = integer(ceil(y));
  der(z) = down;
  annotation(experiment(StopTime = 2));
end M;
