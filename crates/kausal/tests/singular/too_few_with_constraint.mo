// expect: K0401 K0402
// x is constrained, so it has an equation too many; u and its derivative count as one, v has none left.
model M
  Real x(start = 1), u(start = 0), v, w;
equation
  der(x) = -x;
  x = 2 + sin(time);
  der(u) = v + w;
  u = sin(time);
end M;
