// expect: K0336
model M
  Real x[2];
equation
  for i in 1:3 loop
    x[i] = i;
  end for;
end M;
