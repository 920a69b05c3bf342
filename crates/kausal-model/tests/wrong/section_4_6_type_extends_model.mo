// expect: K0252
model A Real x; end A;
type T extends A; end T;
model M T t; end M;
