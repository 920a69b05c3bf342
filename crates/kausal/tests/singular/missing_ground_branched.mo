// expect: K0404
// Without a ground the currents of one node follow from those of the others, and potentials float.
connector Pin
  Real v;
  flow Real i;
end Pin;
partial model TwoPin
  Pin p, n;
  Real v = p.v - n.v;
equation
  p.i + n.i = 0;
end TwoPin;
model Resistor
  extends TwoPin;
  parameter Real R = 10;
equation
  v = R*p.i;
end Resistor;
model Source
  extends TwoPin;
equation
  v = 5;
end Source;
model M
  Source source;
  Resistor a, b, c;
equation
  connect(source.p, a.p);
  connect(a.n, b.p);
  connect(a.n, c.p);
  connect(b.n, source.n);
  connect(c.n, source.n);
end M;
