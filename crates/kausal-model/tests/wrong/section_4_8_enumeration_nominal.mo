// expect: K0213
type E = enumeration(a, b);
model M E e(nominal = E.a) = E.b; end M;
