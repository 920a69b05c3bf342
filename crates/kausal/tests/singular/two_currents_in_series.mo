// expect: K0401 K0402
// Two current sources in series fight each other; the node between them floats.
connector Pin
  Real v;
  flow Real i;
end Pin;
model Current
  Pin p, n;
  parameter Real I = 1;
equation
  p.i = I;
  p.i + n.i = 0;
end Current;
model Ground
  Pin p;
equation
  p.v = 0;
end Ground;
model M
  Current a(I = 1), b(I = 2);
  Ground ground;
equation
  connect(a.p, b.n);
  connect(a.n, b.p);
  connect(a.n, ground.p);
end M;
