// 9.2: sums of flows with signs, outside and inside connectors, unconnected flows, in nested components.
connector Pin
  Real v;
  flow Real i;
end Pin;
model Resistor
  Pin p;
  Pin n;
  parameter Real R = 1;
equation
  p.v - n.v = R*p.i;
  p.i + n.i = 0;
end Resistor;
model Pair
  Pin p;
  Pin n;
  Resistor r1(R = 10);
  Resistor r2(R = 20);
equation
  connect(p, r1.p);
  connect(r1.n, r2.p);
  connect(r2.n, n);
end Pair;
model Ground
  Pin p;
equation
  p.v = 0;
end Ground;
model ConnectFlows
  Pair pair;
  Resistor open;
  Ground ground;
equation
  connect(pair.n, ground.p);
  connect(pair.p, open.p);
end ConnectFlows;
