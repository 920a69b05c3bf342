// expect: K0342
model M
  Real x;
equation
  when {time, 1} then
    x = 1;
  end when;
end M;
