// expect: K0369
model M
  connector C
    Real v;
    flow Real i;
  end C;
  C a;
  C b;
initial equation
  connect(a, b);
equation
  a.v = 1;
  b.v = 1;
end M;
