// expect: K0317
model M
  type E = enumeration(a, b);
  Real x = E.a;
end M;
