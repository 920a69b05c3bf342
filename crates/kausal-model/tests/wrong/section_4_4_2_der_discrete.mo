// expect: K0349
model M discrete Real x(start = 0); equation der(x) = 1; end M;
