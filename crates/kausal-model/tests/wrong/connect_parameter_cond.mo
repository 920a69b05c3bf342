// expect: K0202
model M
  connector C
    Real v;
    flow Real i;
  end C;
  connector D
    Real v;
    Real w;
    flow Real i;
  end D;
  connector RealIn = input Real;
  connector RealOut = output Real;
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
  block S
    RealOut y = time;
  end S;
  block T
    RealIn u;
    Real z = u;
  end T;
  parameter Boolean use = false;
  A a if use;
  B b;
equation
  connect(a.c, b.x);
end M;
