model M
equation
  when a then
    x = 1;
  elseif b then
    x = 2;
  end when;
  when c then
    y = 1;
  else
    y = 2;
  end when;
  if a then
    z = 1;
  elsewhen b then
    z = 2;
  end if;
end M;
