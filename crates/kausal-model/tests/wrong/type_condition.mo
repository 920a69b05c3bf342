// expect: K0342
model M "a condition must be Boolean"
  Real x = if time then 1 else 2;
end M;
