// expect: K0301
model M
  Real x[3];
  Integer n = if time > 1 then 2 else 3;
equation
  for i in 1:n loop
    x[i] = 1;
  end for;
end M;
