// expect: K0401 K0402
// A circuit without a ground: currents are redundant, potentials float.
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
equation
  v = 10*p.i;
end Resistor;
model Source
  extends TwoPin;
equation
  v = 5;
end Source;
model M
  Source source;
  Resistor resistor;
equation
  connect(source.p, resistor.p);
  connect(source.n, resistor.n);
end M;
