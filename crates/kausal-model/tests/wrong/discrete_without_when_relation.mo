// expect: K0327
model M
  discrete Real x;
equation
  x = if time > 0.5 then 1 else 2;
end M;
