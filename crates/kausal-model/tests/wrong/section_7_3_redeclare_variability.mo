// expect: K0324
model C replaceable parameter Real k = 1; Real x = k; end C;
model M C c(redeclare Real k = time); end M;
