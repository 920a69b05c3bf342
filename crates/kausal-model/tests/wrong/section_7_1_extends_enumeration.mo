// expect: K0252
type E = enumeration(a, b);
model M extends E; end M;
