// expect: K0511
// says: the Integer n is too large
// says: the equation is n = 3*pre(n)
// recorded: 0.3
// Beyond what numbers are exact for.
model M
  Integer n(start = 1, fixed = true);
equation
  when sample(0.01, 0.01) then
    n = 3*pre(n);
  end when;
end M;
