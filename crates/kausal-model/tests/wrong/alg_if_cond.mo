// expect: K0342
model M
  Real x;
algorithm
  if 1 then
    x := 1;
  else
    x := 2;
  end if;
end M;
