// expect: K0327
// A memory that no event writes.
model M
  discrete Real a(start = 0, fixed = true), b(start = 0, fixed = true);
equation
  when sample(0, 1) then
    a = pre(b) + 1;
  end when;
end M;
