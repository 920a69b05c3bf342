// expect: K0324
model M
  Real x = sin(time);
  Integer i = noEvent(if x > 0 then 1 else 2);
end M;
