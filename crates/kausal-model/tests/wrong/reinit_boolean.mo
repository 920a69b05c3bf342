// expect: K0351
model M "reinit of a Boolean"
  Boolean b;
equation
  b = time > 2;
  when time > 1 then
    reinit(b, true);
  end when;
end M;
