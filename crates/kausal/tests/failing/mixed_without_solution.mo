// expect: K0510
// says: neither side of a condition agrees
// An algebraic loop through a relation that no side satisfies.
model M
  Real y;
equation
  y = if y > 0 then -1 else 1;
end M;
