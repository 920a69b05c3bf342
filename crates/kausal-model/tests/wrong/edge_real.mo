// expect: K0349
model M "edge of a Real"
  Real x = time;
  Boolean b = edge(x);
end M;
