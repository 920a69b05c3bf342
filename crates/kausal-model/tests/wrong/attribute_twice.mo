// expect: K0226
model M
  Real x(min = 0, min = 1) = time;
end M;
