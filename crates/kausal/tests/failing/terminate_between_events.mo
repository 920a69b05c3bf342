// expect:
// recorded: 0.5
// The model ends the run, and not at an event.
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  if x > 0.5 then
    terminate("far enough");
  end if;
end M;
