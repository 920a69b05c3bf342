// expect: K0369
model M
  Real x(start = 1);
initial equation
  when time > 0 then
    x = 2;
  end when;
equation
  der(x) = 1;
end M;
