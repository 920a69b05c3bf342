// expect: K0512
// recorded: 0.4
// Two conditions that switch each other.
model M
  Boolean a(start = false, fixed = true), b(start = false, fixed = true);
equation
  when {time > 0.5, pre(b), not pre(b)} then
    a = not pre(a);
  end when;
  when {pre(a), not pre(a)} then
    b = not pre(b);
  end when;
end M;
