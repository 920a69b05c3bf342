// An input that is connected and has an equation.
// expect: K0240 K0401
// line: 10
// words: has its value from a connection
model M
  Kausal.Blocks.Sources.Step a;
  Kausal.Blocks.Math.Gain g(k = 2);
equation
  connect(a.y, g.u);
  g.u = 3;
end M;
