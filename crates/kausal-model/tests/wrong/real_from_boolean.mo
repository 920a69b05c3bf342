// expect: K0317
model M
  Real x = true;
end M;
