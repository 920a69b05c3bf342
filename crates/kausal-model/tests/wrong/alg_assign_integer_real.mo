// expect: K0379
model M
  Integer i;
algorithm
  i := 1.5;
end M;
