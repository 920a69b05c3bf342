// expect: K0240 K0241
model M
  model A
    Real x;
    Real y;
  equation
    x = 1;
  end A;
  A a[100];
end M;
