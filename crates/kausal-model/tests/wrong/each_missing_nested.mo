// expect: K0227
model M
  model A
    parameter Real p = 1;
  end A;
  model B
    A a[2];
  end B;
  B b[3](a(p = {1, 2}));
end M;
