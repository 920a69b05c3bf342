// expect: K0363
model M "both sides differ in size"
  Real x[3];
equation
  x = {1, 2};
end M;
