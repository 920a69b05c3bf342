// expect: K0232
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
  A a;
  B b;
equation
  connect(a, b);
end M;
