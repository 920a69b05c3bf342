// expect: K0240
model M
  Real x[3];
  Integer i = 2;
equation
  for i in 1:3 loop
    x[i] = i;
  end for;
  i = 3;
end M;
