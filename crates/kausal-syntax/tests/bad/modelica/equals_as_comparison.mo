model M
  Boolean b = if x = 1 then true else false;
equation
  if mode = 2 then
    x = 1;
  else
    x = 2;
  end if;
  when (a = b) then
    y = 1;
  end when;
end M;
