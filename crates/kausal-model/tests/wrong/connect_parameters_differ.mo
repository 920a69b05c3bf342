// expect: K0243
model M
  connector C
    parameter Integer n = 1;
    Real v;
    flow Real i;
  end C;
  model A
    C c;
  equation
    c.v = time;
  end A;
  model B
    C c;
  equation
    c.i = 1;
  end B;
  A a(c(n = 2));
  B b(c(n = 3));
equation
  connect(a.c, b.c);
end M;
