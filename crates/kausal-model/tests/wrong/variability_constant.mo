// expect: K0322
model M "a constant depends on time"
  constant Real c = time;
  Real x = c;
end M;
