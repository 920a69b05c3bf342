// Statements at events, in order.
model M
  discrete Real total(start = 0, fixed = true), last(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
algorithm
  when sample(0, 0.5) then
    n := pre(n) + 1;
    last := n*n;
    total := pre(total) + last;
  end when;
  annotation(experiment(StopTime = 4.9, Tolerance = 1e-6));
end M;
