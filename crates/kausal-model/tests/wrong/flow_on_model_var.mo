// expect: K0253
model M
  flow Real x = time;
end M;
