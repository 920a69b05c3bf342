model M
algorithm
  if a then
    x := 1;
  else
    x := 2;
  elseif b then
    x := 3;
  else
    x := 4;
  end if;
end M;
