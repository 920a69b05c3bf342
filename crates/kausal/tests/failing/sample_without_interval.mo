// expect: K0510
// says: interval
// Ticks without a time between them.
model M
  parameter Real p = 0;
  Integer n(start = 0, fixed = true);
equation
  when sample(0, p) then
    n = pre(n) + 1;
  end when;
end M;
