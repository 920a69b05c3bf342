model M
  Real x, y;
equation
  if x > 0 then
    y = 1;
  else
    y = 2;
  der(x) = 1;
end M;
