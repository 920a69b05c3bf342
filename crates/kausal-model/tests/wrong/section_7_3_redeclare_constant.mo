// expect: K0216
model C replaceable constant Real k = 1; end C;
model M C c(redeclare constant Real k = 2); end M;
