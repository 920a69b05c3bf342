// expect: K0420
// What was before the start is said twice.
model M
  Integer n(start = 3, fixed = true);
initial equation
  pre(n) = 4;
equation
  when sample(0, 1) then
    n = pre(n) + 1;
  end when;
end M;
