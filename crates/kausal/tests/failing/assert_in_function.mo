// expect: K0520
// says: only positive numbers
// recorded: 0.4
// A function that refuses its argument.
function root
  input Real x;
  output Real y;
algorithm
  assert(x >= 0, "only positive numbers");
  y := sqrt(x);
  annotation(Inline = false);
end root;
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = root(0.5 - time);
end M;
