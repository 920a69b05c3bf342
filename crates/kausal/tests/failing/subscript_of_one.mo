// expect: K0511
// says: the subscript k is outside 1:1
// recorded: 0.4
// An array with one element has no third one.
model M
  Integer k(start = 1, fixed = true);
  Real a[1] = {2*time};
  Real x;
equation
  when time > 0.5 then
    k = 3;
  end when;
  x = a[k];
end M;
