// expect: K0248
model B parameter Real k = 1; Real y = k; end B;
model A outer B b(k = 2); end A;
model M inner B b; A a; end M;
