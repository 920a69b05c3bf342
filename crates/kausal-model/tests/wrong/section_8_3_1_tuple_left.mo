// expect: K0361
model M Real x, y; equation (x, y) = 1; end M;
