// expect: K0370
model M
  Real x;
equation
  when time > 1 then
    2*x = 1;
  end when;
end M;
