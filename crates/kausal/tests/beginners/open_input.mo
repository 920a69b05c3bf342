// Open input.
// expect: K0240 K0242 K0402
// line: 6
// words: gain.u is not connected
model M
  Kausal.Blocks.Math.Gain gain(k = 2);
end M;
