// expect: K0213
type E = enumeration(a, b);
model M E e(a = 1) = E.a; end M;
