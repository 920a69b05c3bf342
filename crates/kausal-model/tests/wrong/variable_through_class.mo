// expect: K0249
model M
  model A
    Real p = time;
  end A;
  Real x = A.p;
end M;
