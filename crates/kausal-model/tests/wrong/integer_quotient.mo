// expect: K0317
model M
  Integer i = 5/2;
end M;
