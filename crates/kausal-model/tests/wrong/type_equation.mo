// expect: K0362
model M "both sides have different types"
  Boolean b;
equation
  b = 1.5;
end M;
