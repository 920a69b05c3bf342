// Parallel resistors without resistance: how the current divides is open, and stays near the start values.
model M
  parameter Real r = 0;
  Real i1(start = 1), i2(start = 2), i3(start = 3), i4(start = 4), i(start = 12, fixed = true);
  Real sum = i1 + i2 + i3 + i4;
equation
  der(i) = -i;
  i1 + i2 + i3 + i4 = i;
  r*i1 = r*i2;
  r*i2 = r*i3;
  r*i3 = r*i4;
end M;
