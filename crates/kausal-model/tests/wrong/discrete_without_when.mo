// expect: K0327
model M
  discrete Real x;
equation
  x = 2;
end M;
