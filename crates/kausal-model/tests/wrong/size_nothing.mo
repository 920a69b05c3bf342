// expect: K0351
model M
  Integer n = size();
end M;
