model M
equation
  if a then
    x = 1;
  elsif b then
    x = 2;
  elif c then
    x = 3;
  endif;
  for i in 1:3 loop
    y[i] = 1;
  end_for;
  z = if a then 1 elsif b then 2 else 3;
end M;
