// expect: K0351
model M
  Real x = delay(time, -1);
end M;
