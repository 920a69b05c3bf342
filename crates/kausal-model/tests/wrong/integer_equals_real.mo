// expect: K0362 K0362
model M
  parameter Real p = 2;
  Integer i, j, k;
  Real x;
equation
  i = 1.5;
  2*p = j;
  x = k;
  k = if time > 1 then 2 else 3;
end M;
