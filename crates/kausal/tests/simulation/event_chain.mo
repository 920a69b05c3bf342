// A change that goes from one variable to the next, a round of the event for each.
model M
  parameter Integer n = 300;
  Boolean b[n](each start = false, each fixed = true);
  Real last = if b[n] then 1 else 0;
equation
  b[1] = time > 0.5;
  for i in 2:n loop
    b[i] = pre(b[i - 1]);
  end for;
end M;
