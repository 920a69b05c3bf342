model M
equation
  for i in 1:3 loop
    for j in 1:3 loop
      x[i, j] = 0;
  end for;
  y = 1;
algorithm
  z := 1;
end M;
