// Discrete variables that are always equal, or constant, and what each was before the start.
model M
  Boolean y(start = true, fixed = true);
  Boolean u = y, v = y;
  Boolean always = true;
  Integer from_y(start = -1), from_u(start = -1), from_v(start = -1), from_always(start = -1);
  Boolean clause, heard(start = false, fixed = true) = clause;
  Integer from_clause(start = -1), from_heard(start = -1);
  Integer risen(start = 0, fixed = true);
initial equation
  pre(u) = false;
  pre(v) = true;
  pre(always) = false;
  clause = true;
equation
  y = time < 0.5 or time > 0.7;
  when initial() then
    from_y = if pre(y) then 1 else 0;
    from_u = if pre(u) then 1 else 0;
    from_v = if pre(v) then 1 else 0;
    from_always = if pre(always) then 1 else 0;
  end when;
  when initial() then
    from_clause = if pre(clause) then 1 else 0;
    from_heard = if pre(heard) then 1 else 0;
  end when;
  when time > 0.9 then
    clause = not pre(clause);
  end when;
  when u then
    risen = pre(risen) + 1;
  end when;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end M;
