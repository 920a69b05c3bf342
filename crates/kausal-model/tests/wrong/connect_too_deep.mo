// expect: K0244
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
  model Box
    A inside;
  end Box;
  Box box;
  B b;
equation
  connect(box.inside.c, b.c);
end M;
