// expect: K0351
model M "a clock is not a number"
  Real x = time;
  Real y;
equation
  y = sample(x, subSample(2, 2), 3);
end M;
