// Floating mechanism.
// expect: K0401 K0402
// line: 10
// words: a mechanism that nothing holds;Connect one end to something fixed
model M
  Kausal.Translational.Spring spring(c = 100);
  Kausal.Translational.Damper damper(d = 1);
equation
  connect(spring.a, damper.a);
  connect(spring.b, damper.b);
end M;
