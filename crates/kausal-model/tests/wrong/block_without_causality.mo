// expect: K0253
model M
  connector P
    Real v;
    flow Real i;
  end P;
  block B
    P p;
  equation
    p.v = 1;
  end B;
  B b;
end M;
