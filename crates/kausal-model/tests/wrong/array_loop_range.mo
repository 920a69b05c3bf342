// expect: K0346
model M "a loop over a number"
  Real x[3];
equation
  for i in 3 loop
    x[i] = i;
  end for;
end M;
