// Parallel voltages.
// expect: K0401 K0402
// line: 6
// words: battery1 and battery2 both fix the same voltage;in parallel
model M
  Kausal.Electrical.Sources.ConstantVoltage battery1(V = 10);
  Kausal.Electrical.Sources.ConstantVoltage battery2(V = 12);
  Kausal.Electrical.Resistor resistor(R = 5);
  Kausal.Electrical.Ground ground;
equation
  connect(battery1.p, resistor.p);
  connect(battery2.p, resistor.p);
  connect(battery1.n, ground.p);
  connect(battery2.n, ground.p);
  connect(resistor.n, ground.p);
end M;
