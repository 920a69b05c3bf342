// expect: K0366
model M "a clock ticks for one branch only"
  Clock c = Clock(0.1);
  Real x(start = 0);
equation
  when c then
    x = previous(x) + 1;
  elsewhen time > 1 then
    x = 0;
  end when;
end M;
