// Connect variable.
// expect: K0232
// line: 9
// words: `a = b`
model M
  Kausal.Electrical.Resistor r(R = 5);
  Real u;
equation
  connect(r.v, u);
end M;
