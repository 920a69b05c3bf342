// expect: K0216
model C replaceable model T Real x = 1; end T; T t; end C;
record R Real x = 1; end R;
model M C c(redeclare record T = R); end M;
