// Connect components.
// expect: K0232
// line: 9
// words: is not a connector;it has p and n
model M
  Kausal.Electrical.Resistor r(R = 5);
  Kausal.Electrical.Ground g;
equation
  connect(r, g);
end M;
