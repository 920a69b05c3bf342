// expect: K0217
model M
  partial model A
    Real x;
  end A;
  A a[3];
end M;
