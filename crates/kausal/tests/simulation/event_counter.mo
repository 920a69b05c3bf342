// Counters at different rates that start late.
model M
  Integer a(start = 0, fixed = true), b(start = 100, fixed = true), both(start = 0, fixed = true);
  Boolean odd(start = false, fixed = true);
equation
  when sample(0, 0.1) then
    a = pre(a) + 1;
    odd = not pre(odd);
  end when;
  when sample(0.05, 0.3) then
    b = pre(b) - 2;
  end when;
  when {sample(0, 0.1), sample(0.05, 0.3)} then
    both = pre(both) + 1;
  end when;
  annotation(experiment(StopTime = 2.01, Tolerance = 1e-6));
end M;
