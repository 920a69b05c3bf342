// expect: K0362
model M
  Integer i(start = 0);
equation
  when time > 1 then
    i = time;
  end when;
end M;
