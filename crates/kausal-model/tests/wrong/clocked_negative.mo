// expect: K0351 K0351 K0351
model M
  Real u = sample(time, Clock(0.1));
  Real v = subSample(u, -1);
  Real w = shiftSample(u, 1, 0);
  Real x = superSample(u, integer(time));
end M;
