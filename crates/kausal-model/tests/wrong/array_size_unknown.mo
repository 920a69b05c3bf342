// expect: K0311
model M "nothing tells the size"
  Real x[:];
end M;
