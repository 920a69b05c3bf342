// expect: K0250
model M
  connector C
    Real v;
    flow parameter Real i = 1;
  end C;
  C c;
equation
  c.v = 1;
end M;
