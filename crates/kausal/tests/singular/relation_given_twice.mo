// expect: K0240 K0401
// One equation too many around a relation: the message shows the relation, not the helper that holds it.
model M
  Boolean b;
  Real x = sin(time);
equation
  b = x > 0.5;
  b = x < 0.2;
end M;
