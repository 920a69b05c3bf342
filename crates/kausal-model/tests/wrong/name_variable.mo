// expect: K0202
model M "a misspelt variable"
  Real level(start = 1, fixed = true);
  parameter Real area = 2;
equation
  area*der(levle) = -level;
end M;
