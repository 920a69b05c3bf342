// The library in small letters.
// expect: K0202
// line: 6
// words: did you mean Kausal?
model M
  kausal.Blocks.Sources.Sine s;
end M;
