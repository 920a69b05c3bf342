// expect: K0236
model M
  connector C
    Real v;
    flow Real i;
  end C;
  C c;
equation
  Connections.branch(c);
  c.v = 1;
end M;
