// expect: K0340
type E = enumeration(a, b);
model M Integer n = E.a + E.b; end M;
