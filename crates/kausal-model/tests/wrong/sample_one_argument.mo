// expect: K0342
model M
  Real y(start = 0);
equation
  when sample(0.1) then
    y = time;
  end when;
end M;
