// expect: K0511
// says: the subscript pre(k) is outside 1:2
// recorded: 0.2
// In a when clause.
model M
  parameter Real a[2] = {10, 20};
  Integer k(start = 1, fixed = true);
  discrete Real v(start = 0, fixed = true);
equation
  when sample(0.1, 0.1) then
    k = pre(k) + 1;
    v = a[pre(k)];
  end when;
end M;
