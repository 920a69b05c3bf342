// expect: K0202 K0202 K0202
model M "three names are wrong, each is reported"
  Real a = aa;
  Real b = bb;
  Real c;
equation
  c = cc + a;
end M;
