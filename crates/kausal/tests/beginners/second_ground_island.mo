// Second ground island.
// expect: K0401 K0402
// line: 16
// words: a circuit without a ground
model M
  Kausal.Electrical.Sources.ConstantVoltage source(V = 10);
  Kausal.Electrical.Resistor resistor(R = 5);
  Kausal.Electrical.Ground ground;
  Kausal.Electrical.Capacitor c(C = 1e-3);
  Kausal.Electrical.Resistor r2(R = 5);
equation
  connect(source.p, resistor.p);
  connect(source.n, resistor.n);
  connect(source.n, ground.p);
  connect(c.p, r2.p);
  connect(c.n, r2.n);
end M;
