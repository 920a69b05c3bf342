// expect: K0319
model M
  model A
    Real x = time;
  end A;
  A a;
  Real y = a;
end M;
