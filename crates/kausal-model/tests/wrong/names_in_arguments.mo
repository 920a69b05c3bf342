// expect: K0202 K0202 K0202 K0202
model M
  Real x = max(foo, bar);
  Real y[2] = {une, deux};
end M;
