// expect: K0236
model M
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  Pin p;
equation
  Connections.root(p);
  p.v = time;
end M;
