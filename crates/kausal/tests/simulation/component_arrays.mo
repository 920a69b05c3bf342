// Fifty resistors in a row, connected in a loop.
connector Pin
  Real v;
  flow Real i;
end Pin;
model Resistor
  Pin p, n;
  parameter Real R = 1;
equation
  p.i + n.i = 0;
  p.v - n.v = R*p.i;
end Resistor;
model Source
  Pin p;
  input Real v;
equation
  p.v = v;
end Source;
model M
  parameter Integer n = 50;
  Resistor r[n](R = {i for i in 1:n});
  Source left(v = 1 + time), right(v = 0);
equation
  connect(left.p, r[1].p);
  for i in 1:n - 1 loop
    connect(r[i].n, r[i + 1].p);
  end for;
  connect(r[n].n, right.p);
end M;
