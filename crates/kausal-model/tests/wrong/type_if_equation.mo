// expect: K0342
model M "the condition of an if equation"
  Real x;
equation
  if time then
    x = 1;
  else
    x = 2;
  end if;
end M;
