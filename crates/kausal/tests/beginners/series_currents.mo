// Series currents.
// expect: K0401 K0402
// line: 11
// words: two of them in series
model M
  Kausal.Electrical.Sources.ConstantCurrent a(I = 1);
  Kausal.Electrical.Sources.ConstantCurrent b(I = 2);
  Kausal.Electrical.Resistor resistor(R = 5);
  Kausal.Electrical.Ground ground;
equation
  connect(a.n, b.p);
  connect(b.n, resistor.p);
  connect(resistor.n, ground.p);
  connect(a.p, ground.p);
end M;
