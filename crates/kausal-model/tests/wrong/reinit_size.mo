// expect: K0351
model M
  Real x[2](each start = 0);
equation
  der(x) = {1, 2};
  when time > 1 then
    reinit(x, {1, 2, 3});
  end when;
end M;
