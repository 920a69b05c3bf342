// expect: K0238
model M
  Real y = time;
  Real x = actualStream(y);
end M;
