// expect: K0520
// says: too hot
// says: T
// recorded: 0.4
// Two assertions whose texts are put together while the model runs: the one that fails is found.
model M
  Real T(start = 300, fixed = true);
  parameter Real limit = 350;
equation
  der(T) = 100;
  assert(T < limit, "too hot: " + String(T) + " K");
  assert(T > 0, "too cold: " + String(T) + " K");
end M;
