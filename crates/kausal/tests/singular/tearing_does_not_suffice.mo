// expect: K0430
// options: tearing
// With v2 and v4 known, v6 and i5 still form a loop.
model M
  parameter Real R1 = 1, R2 = 2, R3 = 3, R4 = 4, R5 = 5, R6 = 6;
  Real i1, i2, i3, i4, i5, v2, v4, v6;
equation
  R1*i1 = sin(time) - v2;
  R2*i2 = v2;
  R3*i3 = v2 - v4 + residue(v2);
  R4*i4 = v4;
  R5*i5 = v4 - v6;
  R6*i5 = v6;
  i1 = i2 + i3;
  i3 = i4 + i5 + residue(v4);
end M;
