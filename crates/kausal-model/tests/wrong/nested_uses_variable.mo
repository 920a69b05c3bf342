// expect: K0249
model M
  Real k = time;
  model A
    Real x = k;
  end A;
  A a;
end M;
