// expect: K0511
// says: y = chosen(1, 2, 3, (integer(5*time + 1)))
// recorded: 0.5
// A subscript outside of an array, in a function: the message has the names of the model and the place of the equation.
function chosen
  input Real v[:];
  input Integer n;
  output Real y;
algorithm
  y := v[n];
end chosen;
model M
  Real y = chosen({1, 2, 3}, integer(1 + 5*time));
end M;
