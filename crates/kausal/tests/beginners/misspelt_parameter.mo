// Misspelt parameter.
// expect: K0213
// line: 6
// words: did you mean R?
model M
  Kausal.Electrical.Resistor r(r = 10);
  Kausal.Electrical.Ground g;
equation
  connect(r.p, g.p);
  connect(r.n, g.p);
end M;
