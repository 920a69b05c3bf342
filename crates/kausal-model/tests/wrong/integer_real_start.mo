// expect: K0317
model M
  Integer i(start = 1.5) = 2;
end M;
