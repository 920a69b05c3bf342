// expect: K0511
// says: i = 1e9*pre(i)
// recorded: 0.5
// What was before the event is called so in messages.
model M
  Integer i(start = 10, fixed = true);
equation
  when sample(0.3, 0.3) then
    i = 1000000000*pre(i);
  end when;
end M;
