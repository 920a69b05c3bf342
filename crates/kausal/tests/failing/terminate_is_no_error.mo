// expect:
// recorded: 0.5
// The model ends the run itself.
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 0.5 then
    terminate("arrived");
  end when;
end M;
