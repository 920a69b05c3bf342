model M
equation
  if x > 1 loop
    y = 1;
  end if;
  for i in 1:3 then
    z[i] = 0;
  end for;
algorithm
  while a do
    a := false;
  end while;
end M;
