// expect: K0358
model M
  Real x = time;
equation
  when time > 1 then
    reinit(x, 0);
  end when;
end M;
