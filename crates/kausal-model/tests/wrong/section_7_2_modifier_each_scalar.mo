// expect: K0227
model A parameter Real k = 1; Real x = k; end A;
model M A a(each k = 2); end M;
