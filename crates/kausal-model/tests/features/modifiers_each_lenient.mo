// 7.2.5: `each` that is missing or has no meaning is a warning: what is meant is clear.
model Part
  parameter Real p = 1;
  parameter Real v[2] = {1, 2};
  Real x(start = 0, fixed = true);
equation
  der(x) = p + sum(v);
end Part;
model Row
  Part parts[2];
end Row;
model ModifiersEachLenient
  Part single(each p = 2);
  Part whole(v = 4);
  Part list[3](p = 2, x(start = 1));
  Row rows[2](parts(p = {1, 2}));
  Real y[2](start = 3, each fixed = true);
equation
  der(y) = {1, 2};
end ModifiersEachLenient;
