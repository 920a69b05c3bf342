// expect: K0414 K0511
// says: cannot be reinitialised here
// recorded: 0.5
// Both of two that move together are set, to what does not agree.
model M
  Real a(start = 0, fixed = true), b, f;
equation
  der(a) = f + 1;
  der(b) = -f;
  b = 2*a;
  when time > 0.5 then
    reinit(a, 1);
    reinit(b, 1);
  end when;
end M;
