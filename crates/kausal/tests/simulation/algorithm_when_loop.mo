// `when` in a loop remembers for each pass whether its condition held.
model M
  Integer n[3](each start = 0, each fixed = true);
algorithm
  for i in 1:3 loop
    when sample(0.5, i) then
      n[i] := pre(n[i]) + 1;
    end when;
  end for;
  annotation(experiment(StopTime = 5.4, Tolerance = 1e-6));
end M;
