// expect: K0240 K0402
// One field of a record has no value.
record Point
  Real x;
  Real y;
end Point;
model M
  Point p;
equation
  p.x = time;
end M;
