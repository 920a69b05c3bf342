// expect: K0340
model M
  type E = enumeration(a, b);
  E e = E.a + 1;
end M;
