// expect: K0329
model M
  Integer i = mod(1, 0);
end M;
