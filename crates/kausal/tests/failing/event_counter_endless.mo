// expect: K0512
// A counter that counts itself.
model M
  Integer n(start = 0, fixed = true);
equation
  n = if time > 0.5 then pre(n) + 1 else 0;
end M;
