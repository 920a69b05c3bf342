// expect: K0240
model M "one equation too many"
  Real x;
equation
  x = 1;
  x = time;
end M;
