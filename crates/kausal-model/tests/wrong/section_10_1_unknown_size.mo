// expect: K0311
model M Real x[:]; equation x = {1, 2}; end M;
