// expect: K0530
// says: getting warm (at time
// recorded: 1
// A warning does not end the run.
model M
  Real T(start = 300, fixed = true);
equation
  der(T) = 100;
  assert(T < 350, "getting warm", AssertionLevel.warning);
end M;
