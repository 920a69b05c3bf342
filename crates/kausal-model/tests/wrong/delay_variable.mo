// expect: K0351
model M
  Real u = time;
  Real x = delay(time, u);
end M;
