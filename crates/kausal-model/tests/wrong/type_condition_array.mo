// expect: K0342
model M "a condition must be a scalar"
  Boolean b[2] = {time > 1, time > 2};
  Real x = if b then 1 else 2;
end M;
