// expect: K0317
model M
  Real y = sum("a" for i in 1:3);
end M;
