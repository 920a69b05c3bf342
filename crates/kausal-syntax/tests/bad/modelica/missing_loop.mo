model M
equation
  for i in 1:n
    x[i] = i;
  end for;
algorithm
  while a > 0
    a := a - 1;
  end while;
end M;
