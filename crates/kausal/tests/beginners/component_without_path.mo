// A component by its last name only.
// expect: K0202
// line: 6
// words: Kausal.Electrical.Resistor
model M
  Resistor R(R = 1);
end M;
