// expect: K0226
model M
  model A
    parameter Real p = 1;
  end A;
  model B
    A a;
  end B;
  B b(a.p = 2, a(p = 3));
end M;
