// expect: K0202
model M "a connection to a connector that does not exist"
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Ground
    Pin p;
  equation
    p.v = 0;
  end Ground;
  Ground g;
  Ground h;
equation
  connect(g.p, h.pin);
end M;
