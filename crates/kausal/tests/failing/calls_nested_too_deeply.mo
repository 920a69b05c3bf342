// expect: K0510
// says: about 200 inside each other are possible
// Recursion has a limit, and says so.
function total
  input Integer n;
  output Real y;
algorithm
  y := if n <= 0 then 0 else n + total(n - 1);
end total;
model M
  Real y = total(3000 + integer(time));
end M;
