// Misspelt component.
// expect: K0202
// line: 6
// words: did you mean Resistor?
model M
  Kausal.Electrical.Resisstor r;
end M;
