// expect: K0213
type E = enumeration(a, b, c);
model M E e(unit = "m") = E.a; end M;
