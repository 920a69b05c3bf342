// expect: K0212
type E = enumeration(a, b, a);
model M E e = E.a; end M;
