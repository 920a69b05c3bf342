// expect: K0214
model M
  model A
    parameter Real p = 1;
  end A;
  model B
    extends A(final p = 2);
  end B;
  B b(p = 3);
end M;
