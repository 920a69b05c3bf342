// expect: K0240 K0241 K0402
// The diode of a component library forgot its law.
connector Pin
  Real v;
  flow Real i;
end Pin;
model Diode
  Pin p, n;
  Real u;
equation
  u = p.v - n.v;
  p.i + n.i = 0;
end Diode;
model Source
  Pin p;
equation
  p.v = sin(time);
end Source;
model Ground
  Pin p;
equation
  p.v = 0;
end Ground;
model M
  Source source;
  Diode diode;
  Ground ground;
equation
  connect(source.p, diode.p);
  connect(diode.n, ground.p);
end M;
