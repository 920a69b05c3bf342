model AlgorithmEvents "when in a loop, reinit and terminate in algorithm sections"
  parameter Real at[3] = {1, 2, 3};
  Integer n[3](each start = 0, each fixed = true);
  Real x(start = 0, fixed = true);
  Real v[2](each start = 1, each fixed = true);
  Integer rising(start = 0, fixed = true);
  Boolean b[2] = {sin(time) > 0, sin(2*time) > 0};
equation
  der(x) = 1;
  der(v) = -v;
algorithm
  for i in 1:3 loop
    when time > at[i] then
      n[i] := pre(n[i]) + i;
    elsewhen sample(0, i) then
      n[i] := 0;
    end when;
  end for;
algorithm
  for k in 1:2 loop
    if edge(b[k]) then
      rising := pre(rising) + k;
    end if;
  end for;
algorithm
  when x > 1 then
    reinit(x, x - 1);
    reinit(v, {2, x});
  end when;
  if rising > 8 then
    terminate("seen enough: " + String(rising));
  end if;
end AlgorithmEvents;
