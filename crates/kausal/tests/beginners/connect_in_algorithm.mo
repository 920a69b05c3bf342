// Connect in algorithm.
// expect: K0135
// line: 9
// words: move it to an `equation` section
model M
  Kausal.Electrical.Resistor r(R = 5);
  Kausal.Electrical.Ground g;
algorithm
  connect(r.p, g.p);
end M;
