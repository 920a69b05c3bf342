// Partial component.
// expect: K0217
// line: 6
// words: partial class
model M
  Kausal.Electrical.Interfaces.OnePort port;
end M;
