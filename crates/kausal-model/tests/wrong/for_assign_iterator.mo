// expect: K0240
model M
  Real x[3];
equation
  for i in 1:3 loop
    i = 2;
    x[i] = 1;
  end for;
end M;
