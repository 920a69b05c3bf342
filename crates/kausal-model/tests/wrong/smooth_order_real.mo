// expect: K0351
model M
  Real x = smooth(0.5, time);
end M;
