// expect: K0251
model M
  connector C
    Real v;
    flow Real i;
  equation
    v = 1;
  end C;
  C c;
end M;
