// expect: K0368
model M "reinit in an algorithm needs a when, too"
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
algorithm
  if x > 1 then
    reinit(x, 0);
  end if;
end M;
