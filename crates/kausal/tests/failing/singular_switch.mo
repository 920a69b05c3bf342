// expect: K0530
// says: u
// recorded: 0.4
// A switch cuts a coil off, but its current has nowhere to go.
model M
  Real u, v, i, j;
  Boolean open = time > 0.5;
equation
  u = 1 - 2*i;
  u = if open then 1 - 2*i else 3*i;
  v = j;
  v + j = u;
end M;
