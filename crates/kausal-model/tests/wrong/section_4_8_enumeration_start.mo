// expect: K0317
type E = enumeration(a, b, c);
model M E e(start = 1); equation e = if time > 1 then E.a else E.b; end M;
