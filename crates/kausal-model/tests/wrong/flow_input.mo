// expect: K0240 K0250
model M
  connector C
    Real v;
    flow input Real i;
  end C;
  C c;
equation
  c.v = 1;
end M;
