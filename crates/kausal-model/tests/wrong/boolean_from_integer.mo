// expect: K0317
model M
  Boolean b = 1;
end M;
