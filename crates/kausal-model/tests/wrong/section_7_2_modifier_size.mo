// expect: K0316
model A parameter Real k[2] = {1, 2}; end A;
model M A a(k = {1, 2, 3}); end M;
