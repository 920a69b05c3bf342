// expect: K0317
type E = enumeration(a, b, c);
model M E e(min = 2) = E.a; end M;
