// expect: K0212
model M
  type E = enumeration(a, b, a);
  E e = E.a;
end M;
