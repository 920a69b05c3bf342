// expect: K0340
model M
  Boolean b = {1, 2} == {1, 2};
end M;
