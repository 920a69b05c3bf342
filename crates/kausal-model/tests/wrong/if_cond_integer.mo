// expect: K0342
model M
  Real x = if 1 then 2 else 3;
end M;
