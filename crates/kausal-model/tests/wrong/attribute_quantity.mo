// expect: K0317
model M
  Real x(quantity = 3) = time;
end M;
