// expect: K0202
model M
  Real k = 2;
  encapsulated model A
    Real x = k;
  end A;
  A a;
end M;
