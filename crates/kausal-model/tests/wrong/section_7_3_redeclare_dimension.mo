// expect: K0216
model C replaceable parameter Real k = 1; end C;
model M C c(redeclare parameter Real k[2] = {1, 2}); end M;
