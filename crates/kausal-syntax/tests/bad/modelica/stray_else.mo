model M
equation
  x = 1;
  else
  y = 2;
  for i in 1:2 loop
    z[i] = 1;
  else
    z[i] = 2;
  end for;
end M;
