// An algorithm between equations: the largest of three waves, and the sum so far.
model M
  Real wave[3] = {sin(time), sin(time + 2), sin(time + 4)};
  Real largest, sum;
  Integer which;
algorithm
  largest := wave[1];
  which := 1;
  sum := 0;
  for i in 1:3 loop
    if wave[i] > largest then
      largest := wave[i];
      which := i;
    end if;
    sum := sum + wave[i]^2;
  end for;
  annotation(experiment(StopTime = 6, Tolerance = 1e-6));
end M;
