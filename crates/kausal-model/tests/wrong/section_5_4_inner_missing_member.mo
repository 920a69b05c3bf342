// expect: K0228
model B1 Real y = 1; Real z = 2; end B1; model B2 Real y = 1; end B2;
model A outer B1 b; Real q = b.z; end A;
model M inner B2 b; A a; end M;
