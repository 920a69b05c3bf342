// expect: K0340
model M "edge of a Real"
  Real x = time;
  Boolean b = edge(x);
end M;
