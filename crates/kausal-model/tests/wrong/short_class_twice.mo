// expect: K0226
model M
  model A
    parameter Real p = 1;
  end A;
  model B = A(p = 1, p = 2);
  B b;
end M;
