// expect: K0227
model M
  model A
    parameter Real p = 1;
  end A;
  model B
    A a[2];
  end B;
  extends B(a(p = 5));
end M;
