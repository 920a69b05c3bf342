// expect: K0351
model M
  Real x = noEvent(1, 2);
end M;
