// expect: K0335
model M
  type E = enumeration(a, b);
  model A
    Real v = time;
  end A;
  A a[E];
  Real y = a[1].v;
end M;
