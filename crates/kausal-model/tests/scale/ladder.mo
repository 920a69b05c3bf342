model Ladder "a chain of RC cells"
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Resistor
    Pin p, n;
    parameter Real R = 1;
  equation
    p.v - n.v = R*p.i;
    p.i + n.i = 0;
  end Resistor;
  model Capacitor
    Pin p, n;
    parameter Real C = 1;
    Real u(start = 0, fixed = true) "voltage";
  equation
    u = p.v - n.v;
    C*der(u) = p.i;
    p.i + n.i = 0;
  end Capacitor;
  model Cell
    Pin a, b, g;
    Resistor r(R = 2);
    Capacitor c;
  equation
    connect(a, r.p);
    connect(r.n, b);
    connect(b, c.p);
    connect(c.n, g);
  end Cell;
  model Source
    Pin p, n;
  equation
    p.v = 1;
    n.v = 0;
  end Source;
  parameter Integer n = 3;
  Cell cell[n];
  Source source;
equation
  connect(source.p, cell[1].a);
  for i in 1:n - 1 loop
    connect(cell[i].b, cell[i + 1].a);
  end for;
  for i in 1:n loop
    connect(cell[i].g, source.n);
  end for;
end Ladder;
