// expect: K0362
model M
  model A
    parameter Integer n = 1;
    Real x;
  equation
    x = "a";
  end A;
  A a[100];
end M;
