// 7.2.4: outer modifiers win over inner ones; attributes of several levels are merged.
model Leaf
  parameter Real k = 1;
  parameter Real l = 2*k;
  Real x(start = k, nominal = 10, unit = "m");
equation
  der(x) = -l*x;
end Leaf;
model Branch
  parameter Real kk = 3;
  Leaf leaf(k = kk, x(start = 7, fixed = true));
end Branch;
model Modifiers
  parameter Real top = 4;
  Branch a(kk = top, leaf(l = 8));
  Branch b(leaf.k = 6, leaf.x.start = 9);
end Modifiers;
