// expect: K0329
model M
  constant Real c = 1/0;
  Real x = c;
end M;
