// expect: K0202 K0317 K0334
model M
  model A
    parameter Integer p;
    Real x = time + q;
    Real y = x[2];
  end A;
  A a[101](each p = 1.5);
end M;
