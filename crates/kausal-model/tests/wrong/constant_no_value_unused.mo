// expect: K0320
model M
  constant Real c;
  Real x = time;
end M;
