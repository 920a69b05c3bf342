// expect: K0202
model M
  parameter Reel p = 1;
  Real x = p;
end M;
