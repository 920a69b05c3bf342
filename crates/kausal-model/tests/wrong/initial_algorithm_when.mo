// expect: K0369
model M
  Real x(start = 0);
initial algorithm
  when time > 1 then
    x := 1;
  end when;
equation
  der(x) = 1;
end M;
