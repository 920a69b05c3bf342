// expect: K0348
type E = enumeration(a, b);
model M E e = E(3); end M;
