// expect: K0202
model M "a record without that field"
  record Point
    Real x;
    Real y;
  end Point;
  Point p(x = 1, y = 2);
  Real z = p.z;
end M;
