// expect: K0238
model M
  connector C
    Real p;
    flow Real m;
    Real h;
  end C;
  model A
    C c;
    Real x = inStream(c.h);
  equation
    c.p = 1;
    c.h = 2;
  end A;
  A a;
end M;
