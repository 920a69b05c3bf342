// expect: K0328
model M
  Real u = time;
  Real x(min = u) = 2;
end M;
