// expect: K0532
// says: u
// recorded: 0.9
// A switch leaves a current undetermined: it stays as it was.
model M
  Real u, v, i, j;
  Boolean open = time > 0.5;
equation
  u = 1 - 2*i;
  u = if open then 1 - 2*i else 3*i;
  v = j;
  v + j = u;
end M;
