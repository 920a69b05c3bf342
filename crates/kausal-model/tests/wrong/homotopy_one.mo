// expect: K0351
model M
  Real x = homotopy(time);
end M;
