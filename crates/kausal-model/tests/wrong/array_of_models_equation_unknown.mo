// expect: K0202
model M
  model A
    Real x;
  equation
    x = foo;
  end A;
  A a[100];
end M;
