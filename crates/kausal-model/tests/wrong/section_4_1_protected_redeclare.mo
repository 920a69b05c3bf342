// expect: K0218
model A Real x = 1; end A; model B Real x = 2; end B;
model C protected replaceable model T = A; T t; end C;
model M C c(redeclare model T = B); end M;
