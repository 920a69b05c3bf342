// expect:
// recorded: 1
// The end of the run is an event that comes once.
model M
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
  discrete Real z(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = 1;
  der(y) = 0;
  when terminal() then
    z = x;
    n = pre(n) + 1;
    reinit(y, 5);
  end when;
end M;
