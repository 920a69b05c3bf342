// Output to output.
// expect: K0229
// line: 9
// words: both outputs
model M
  Kausal.Blocks.Sources.Constant a(k = 1);
  Kausal.Blocks.Sources.Constant b(k = 2);
equation
  connect(a.y, b.y);
end M;
