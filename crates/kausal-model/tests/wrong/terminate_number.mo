// expect: K0351
model M
  Real x = 1;
equation
  when time > 1 then
    terminate(3);
  end when;
end M;
