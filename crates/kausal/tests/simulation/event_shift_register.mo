// Fibonacci's numbers, one per second, and the last four of them.
model M
  Integer x[4](each start = 0, each fixed = true);
equation
  when sample(0, 1) then
    x[1] = if pre(x[1]) == 0 then 1 else pre(x[1]) + pre(x[2]);
    for i in 2:4 loop
      x[i] = pre(x[i - 1]);
    end for;
  end when;
  annotation(experiment(StopTime = 10.5, Tolerance = 1e-6));
end M;
