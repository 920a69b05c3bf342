// expect: K0301
model M "whether a component exists must be known"
  Real x = time;
  Real y = 1 if x > 1;
end M;
