// expect: K0510
// says: too large for an Integer
// 3^40 is more than an Integer holds exactly, and its last digits would be lost.
function digits
  input Real x;
  output Integer y;
algorithm
  y := 1;
  for i in 1:integer(x) loop
    y := 3*y;
  end for;
  y := y - 9*div(y, 9);
end digits;
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = digits(40 + 0*time);
end M;
