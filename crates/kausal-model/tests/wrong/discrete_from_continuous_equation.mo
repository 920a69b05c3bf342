// expect: K0327
model M
  discrete Real x;
equation
  x = time;
end M;
