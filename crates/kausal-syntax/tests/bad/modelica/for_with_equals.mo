model M
equation
  for i = 1:3 loop
    x[i] = 0;
  end for;
  for (i in 1:3) loop
    y[i] = 0;
  end for;
  z = sum(i^2 for i = 1:3);
end M;
