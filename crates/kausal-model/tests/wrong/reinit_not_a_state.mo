// expect: K0358
model M "reinit of something that is not differentiated"
  Real x;
equation
  x = time;
  when time > 1 then
    reinit(x, 1);
  end when;
end M;
