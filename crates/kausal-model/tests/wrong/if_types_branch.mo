// expect: K0362
model M
  Real x;
equation
  if time > 1 then
    x = 1;
  else
    x = "a";
  end if;
end M;
