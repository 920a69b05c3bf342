// expect: K0401 K0402
// A current source feeds a resistor whose other end is connected to nothing: the current is given, and must be zero.
connector Pin
  Real v;
  flow Real i;
end Pin;
partial model OnePort
  Pin p, n;
  Real v, i;
equation
  v = p.v - n.v;
  i = p.i;
  p.i + n.i = 0;
end OnePort;
model Current
  extends OnePort;
  parameter Real I = 1;
equation
  i = I;
end Current;
model Resistor
  extends OnePort;
  parameter Real R = 1;
equation
  v = R*i;
end Resistor;
model Ground
  Pin p;
equation
  p.v = 0;
end Ground;
model M
  Current source;
  Resistor load(R = 100);
  Ground ground;
equation
  connect(source.p, load.p);
  connect(source.n, ground.p);
end M;
