// expect: K0239
model M
  connector C
    Real p;
    stream Real h;
  end C;
  C c;
equation
  c.p = 1;
  c.h = 2;
end M;
