// Misspelt connector.
// expect: K0202
// line: 9
// words: it has p, n
model M
  Kausal.Electrical.Resistor r(R = 10);
  Kausal.Electrical.Ground g;
equation
  connect(r.pos, g.p);
  connect(r.n, g.p);
end M;
