// expect: K0349
model M
  Integer i = integer(true);
end M;
