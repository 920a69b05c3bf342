// expect: K0250
model M
  connector C
    Real v;
    Real w;
    flow Real i;
  end C;
  model A
    C c;
  equation
    c.v = 1;
    c.w = 2;
  end A;
  A a;
end M;
