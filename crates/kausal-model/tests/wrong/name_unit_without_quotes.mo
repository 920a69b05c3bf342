// expect: K0202 K0202
model M
  Real v(unit = m/s) = 3;
end M;
