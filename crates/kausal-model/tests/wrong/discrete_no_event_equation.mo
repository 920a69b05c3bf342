// expect: K0324
model M
  Real x = sin(time);
  Boolean b;
equation
  b = noEvent(x > 0);
end M;
