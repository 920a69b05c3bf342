// expect: K0520
// says: too hot
// recorded: 0.4
// A limit that is passed.
model M
  Real T(start = 300, fixed = true);
equation
  der(T) = 100;
  assert(T < 350, "too hot");
end M;
