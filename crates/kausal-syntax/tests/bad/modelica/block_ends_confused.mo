model M
equation
  if a then
    x = 1;
  end for;
  for i in 1:3 loop
    y[i] = 1;
  end loop;
  when a then
    z = 1;
  end;
  w = 1;
end M;
