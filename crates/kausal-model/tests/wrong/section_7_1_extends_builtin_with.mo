// expect: K0247 K0252
model M extends Real; Real x = 1; end M;
