// 7.2.5, 7.2.6: each goes to every element, an array modifier is split; final closes.
model Cell
  parameter Real R = 1;
  parameter Real v[2] = {1, 2};
  Real x(start = 0);
equation
  der(x) = -R*x + v[1] + v[2];
end Cell;
model EachFinal
  parameter Real s = 5;
  Cell a[2](each R = 3, x(start = {10, 20}, each fixed = true));
  Cell b[2](R = {s, 2*s}, each v = {8, 9}, each x(fixed = true));
  Cell c[2](final v = {{1, 2}, {3, 4}}, each x(final fixed = true));
end EachFinal;
