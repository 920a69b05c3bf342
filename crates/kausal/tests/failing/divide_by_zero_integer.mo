// expect: K0511
// says: n
// A whole division by a counter that reaches zero.
model M
  Integer k(start = 3, fixed = true), n(start = 0, fixed = true);
equation
  when sample(0.1, 0.1) then
    k = pre(k) - 1;
    n = div(10, k);
  end when;
end M;
