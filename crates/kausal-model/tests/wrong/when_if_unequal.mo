// expect: K0366
model M
  Real x;
  Real y;
equation
  when time > 1 then
    if time > 2 then
      x = 1;
    else
      y = 1;
    end if;
  end when;
end M;
