// expect: K0511
// says: the Integer i would be 0.5
// recorded: 0.05
// An equation that only a fraction solves.
model M
  Integer i;
equation
  2*i = integer(10*time);
end M;
