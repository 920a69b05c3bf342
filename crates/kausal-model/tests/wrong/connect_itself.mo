// expect: K0245
model M
  connector C
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
  B b;
equation
  connect(b.c, b.c);
end M;
