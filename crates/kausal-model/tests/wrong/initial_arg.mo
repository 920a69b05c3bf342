// expect: K0351
model M
  Boolean b = initial(1);
end M;
