// 9.4: a loop of connectors with more variables than degrees of freedom is broken once.
type Reference
  extends Real;
  function equalityConstraint
    input Reference a;
    input Reference b;
    output Real residue[0];
  algorithm
  end equalityConstraint;
end Reference;
connector Plug
  Real v;
  flow Real i;
  Reference theta;
end Plug;
model Line
  Plug a;
  Plug b;
equation
  Connections.branch(a.theta, b.theta);
  b.theta = a.theta;
  a.i + b.i = 0;
  a.v - b.v = a.i;
end Line;
model Generator
  Plug p;
  parameter Integer priority = 1;
  Boolean root = Connections.isRoot(p.theta);
equation
  Connections.potentialRoot(p.theta, priority);
  if Connections.isRoot(p.theta) then
    p.theta = 3*time;
  end if;
  p.v = 1;
end Generator;
model Grid
  Plug p;
equation
  Connections.root(p.theta);
  p.theta = 2*time;
  p.v = 0;
end Grid;
model ConnectOverconstrained
  Grid grid;
  Generator gen;
  Line l1;
  Line l2;
  Line l3;
equation
  connect(grid.p, l1.a);
  connect(l1.b, l2.a);
  connect(l2.b, l3.a);
  connect(l3.b, grid.p);
  connect(gen.p, l2.a);
  // Once more: that is no loop.
  connect(l2.a, gen.p);
end ConnectOverconstrained;
