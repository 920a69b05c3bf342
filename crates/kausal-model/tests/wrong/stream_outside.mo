// expect: K0253
model M
  stream Real x = time;
end M;
