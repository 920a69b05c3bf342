// Parameter without value.
// expect: K0415
// line: 6
// words: has no value
model M
  parameter Real k;
  Real x;
equation
  x = k*time;
end M;
