// expect: K0366
model M
  Real x;
  Real y;
equation
  when time > 1 then
    x = 1;
  elsewhen time > 2 then
    y = 1;
  end when;
end M;
