// expect: K0206
type E = enumeration(a, b);
model M E e = E.c; end M;
