// expect: K0312
model M
  Real x["a"];
equation
  x = {1};
end M;
