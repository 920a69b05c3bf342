// expect: K0340
operator record R Real x; end R;
model M R a = R(1); R b = R(2); R c = a + b; end M;
