// expect: K0520
// says: it is not negative
// recorded: 0.5
// A delay that would look into the future.
model M
  Real y;
equation
  y = delay(time, 0.5 - time, 1);
end M;
