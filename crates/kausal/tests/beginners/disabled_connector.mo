// Disabled connector.
// expect: K0318
// line: 14
// words: its condition is false
model A
  parameter Boolean use = false;
  Kausal.Electrical.Interfaces.Pin p if use;
  Kausal.Electrical.Interfaces.Pin q;
equation
  q.v = 0;
end A;
model M
  A a;
  Real x = a.p.v;
end M;
