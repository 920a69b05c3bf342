// expect: K0213
model M
  Real x(start(fixed = true) = 1) = time;
end M;
