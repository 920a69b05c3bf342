// expect: K0520
// says: it is at most 1
// recorded: 0.4
// A delay that outgrows its maximum.
model M
  Real y;
equation
  y = delay(time, 2*time, 1);
end M;
