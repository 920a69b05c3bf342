// expect: K0317
model M
  Boolean b = time > 1;
  Real x = delay(b, 1);
end M;
