// Two sources to input.
// expect: K0229
// line: 11
// words: both give gain.u its value
model M
  Kausal.Blocks.Sources.Constant a(k = 1);
  Kausal.Blocks.Sources.Constant b(k = 2);
  Kausal.Blocks.Math.Gain gain(k = 2);
equation
  connect(a.y, gain.u);
  connect(b.y, gain.u);
end M;
