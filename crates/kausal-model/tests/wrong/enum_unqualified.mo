// expect: K0202
model M
  type E = enumeration(a, b);
  E e = a;
end M;
