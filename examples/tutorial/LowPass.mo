// A filter made of components of the library.
//
// The components of RC.mo need not be written again: Kausal.Electrical has them, and many more. Two RC stages in a row
// let low frequencies pass and hold back high ones. Each stage loads the one before it, so the poles are not simply
// those of two single stages; nobody had to think about that while connecting them.

model LowPass "Two RC stages filter a disturbed signal"
  Kausal.Electrical.Sources.SineVoltage wanted(V = 1, f = 5) "The signal";
  Kausal.Electrical.Sources.SineVoltage hum(V = 0.3, f = 200) "A disturbance on top of it";
  Kausal.Electrical.Resistor R1(R = 1000), R2(R = 1000) "Resistors of the two stages";
  Kausal.Electrical.Capacitor C1(C = 4e-6, v(start = 0, fixed = true)) "Capacitor of the first stage";
  Kausal.Electrical.Capacitor C2(C = 4e-6, v(start = 0, fixed = true)) "Capacitor of the second stage: the output";
  Kausal.Electrical.Ground ground "Zero potential";
equation
  connect(wanted.p, hum.n);
  connect(hum.p, R1.p);
  connect(R1.n, C1.p);
  connect(R1.n, R2.p);
  connect(R2.n, C2.p);
  connect(C1.n, wanted.n);
  connect(C2.n, wanted.n);
  connect(wanted.n, ground.p);
  annotation(experiment(StartTime = 0, StopTime = 0.5, Tolerance = 1e-6));
end LowPass;
