// expect: K0212
model M
  model A
    Real x = 1;
  end A;
  model A
    Real x = 2;
  end A;
  A a;
end M;
