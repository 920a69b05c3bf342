// expect: K0315
// Parameters inside components that point at each other.
model Part
  parameter Real size = 1;
  parameter Real twice = 2*size;
end Part;
model M
  Part left(size = right.twice), right(size = left.twice);
  Real x = left.size*time;
end M;
