// expect: K0317
model M
  Real x(unit = 3) = time;
end M;
