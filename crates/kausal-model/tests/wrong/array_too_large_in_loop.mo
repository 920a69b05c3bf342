// expect: K0308
model M
  Real x[300, 300, 300];
equation
  for i in 1:300, j in 1:300, k in 1:300 loop
    x[i, j, k] = i*time + j + k;
  end for;
end M;
