// expect: K0317
model M
  Integer i = 2^2;
end M;
