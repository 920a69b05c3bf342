// expect: K0308
model M "more elements than any memory holds"
  Real x[65536, 65536, 65536, 65536];
  Real y = 1;
end M;
