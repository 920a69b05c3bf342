// expect: K0317
model M
  Real x = sum({true, false});
end M;
