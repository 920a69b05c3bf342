model M
  Boolean b = 0 < x < 1;
  Real r = 2^3^4;
  Real s = a*-b;
  Real t = 2^-1;
  Real u = a + -b;
  Boolean v = a == not b;
  Real w = 1 + if b then 1 else 2;
end M;
