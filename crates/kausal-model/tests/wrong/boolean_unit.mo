// expect: K0213
model M
  Boolean b(unit = "m") = true;
end M;
