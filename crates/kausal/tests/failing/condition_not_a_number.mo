// expect: K0511
// says: sqrt(x) - 0.1 < 0
// recorded: 0.4
// A condition that compares what is not a number.
model M
  Real x(start = 1, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = -2;
  when sqrt(x) < 0.1 then
    n = pre(n) + 1;
  end when;
end M;
