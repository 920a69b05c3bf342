// Pin to flange.
// expect: K0233
// line: 9
// words: cannot be connected
model M
  Kausal.Electrical.Resistor r(R = 5);
  Kausal.Rotational.Inertia inertia(J = 1);
equation
  connect(r.p, inertia.a);
end M;
