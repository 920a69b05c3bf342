// expect: K0210
model M
  model A
    extends B;
  end A;
  model B
    extends A;
  end B;
  A a;
end M;
