// expect: K0317
model M
  Real x = delay("a", 1);
end M;
