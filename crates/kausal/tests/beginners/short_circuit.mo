// Short circuit.
// expect: K0401 K0402
// line: 6
// words: a short circuit;p and n of source are connected with each other
model M
  Kausal.Electrical.Sources.ConstantVoltage source(V = 10);
  Kausal.Electrical.Resistor resistor(R = 5);
  Kausal.Electrical.Ground ground;
equation
  connect(source.p, resistor.p);
  connect(source.n, resistor.n);
  connect(source.n, ground.p);
  connect(source.p, source.n);
end M;
