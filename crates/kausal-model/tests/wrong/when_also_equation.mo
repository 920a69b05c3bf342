// expect: K0240
model M
  Real x;
equation
  when time > 1 then
    x = 1;
  end when;
  x = 2;
end M;
