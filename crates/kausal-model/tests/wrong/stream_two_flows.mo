// expect: K0239
model M
  connector C
    Real p;
    flow Real m;
    flow Real n;
    Real q;
    stream Real h;
  end C;
  model A
    C c;
  equation
    c.p = 1;
    c.q = 1;
    c.h = inStream(c.h);
  end A;
  A a;
end M;
