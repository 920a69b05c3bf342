// expect: K0320
model M "a constant needs a value"
  constant Real c;
  Real x = c;
end M;
