// expect: K0213
model A Real x = 1; end A;
model B extends A; redeclare model extends T Real y = 1; end T; end B;
model M B b; end M;
