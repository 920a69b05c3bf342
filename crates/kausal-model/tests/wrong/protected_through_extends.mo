// expect: K0218
model M
  model A
  protected
    parameter Real p = 1;
  end A;
  model B
    extends A;
  end B;
  B b(p = 2);
end M;
