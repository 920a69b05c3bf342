// 9.2: an outer connector is an outside connector, wherever the inner one is; a connector of an outer component is an
// inside one. All that is connected to the inner connector meets in one node.
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
model Ground
  Pin p;
equation
  p.v = 0;
end Ground;
model Source
  Pin p;
  Pin n;
equation
  p.v - n.v = 10;
  p.i + n.i = 0;
end Source;
model Load
  outer Pin rail;
  outer Ground common;
  Resistor r;
equation
  connect(rail, r.p);
  connect(r.n, common.p);
end Load;
model ConnectOuter
  inner Pin rail;
  inner Ground common;
  Source source;
  Load a;
  Load b(r(R = 2));
equation
  connect(source.p, rail);
  connect(source.n, common.p);
end ConnectOuter;
