// expect: K0351
model M
  Real x = noEvent();
end M;
