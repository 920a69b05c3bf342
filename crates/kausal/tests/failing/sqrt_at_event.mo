// expect: K0511
// says: y
// recorded: 0.4
// A square root of a negative number, at an event only.
model M
  Real x(start = 0, fixed = true);
  discrete Real y(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 0.5 then
    y = sqrt(-x);
  end when;
end M;
