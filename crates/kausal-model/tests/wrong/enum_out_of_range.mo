// expect: K0348
model M
  type E = enumeration(a, b);
  E e = E(3);
end M;
