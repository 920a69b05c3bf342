// expect: K0213
model M
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Part
    Pin p;
  equation
    p.v = p.i + time;
  end Part;
  model Base
    Part a, b, c;
  equation
    connect(a.p, b.p);
  end Base;
  extends Base(break connect(a.p, c.p));
end M;
