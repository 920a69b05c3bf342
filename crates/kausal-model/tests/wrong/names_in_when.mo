// expect: K0202 K0202
model M
  Real x;
equation
  when time > foo then
    x = bar;
  end when;
end M;
