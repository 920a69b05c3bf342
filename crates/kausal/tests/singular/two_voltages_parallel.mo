// expect: K0401 K0402
// Two ideal voltage sources in parallel: the voltage is said twice, the currents not at all.
connector Pin
  Real v;
  flow Real i;
end Pin;
model Source
  Pin p, n;
  parameter Real V = 1;
equation
  p.v - n.v = V*(1 + time);
  p.i + n.i = 0;
end Source;
model Ground
  Pin p;
equation
  p.v = 0;
end Ground;
model M
  Source a(V = 1), b(V = 2);
  Ground ground;
equation
  connect(a.p, b.p);
  connect(a.n, b.n);
  connect(a.n, ground.p);
end M;
