// expect: K0252
model M
  model A
    Real v;
  end A;
  connector C
    extends A;
  end C;
  C c;
equation
  c.v = 1;
end M;
