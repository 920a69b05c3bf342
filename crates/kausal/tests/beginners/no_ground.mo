// No ground.
// expect: K0401 K0402
// line: 10
// words: a circuit without a ground;Connect a Ground
model M
  Kausal.Electrical.Sources.ConstantVoltage source(V = 10);
  Kausal.Electrical.Resistor resistor(R = 5);
equation
  connect(source.p, resistor.p);
  connect(source.n, resistor.n);
end M;
