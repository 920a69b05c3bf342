// expect: K0355
model M
  Real x[3], y[4];
equation
  for i loop
    x[i] = time;
    y[i] = 2*time;
  end for;
  y[4] = 0;
end M;
