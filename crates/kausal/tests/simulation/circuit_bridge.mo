// Wheatstone's bridge out of balance: a linear system of currents.
model M
  parameter Real R1 = 1, R2 = 2, R3 = 3, R4 = 5, R5 = 4, U = 10;
  Real va, vb, i1, i2, i3, i4, i5, i;
equation
  R1*i1 = U - va;
  R2*i2 = va;
  R3*i3 = U - vb;
  R4*i4 = vb;
  R5*i5 = va - vb;
  i1 = i2 + i5;
  i3 + i5 = i4;
  i = i1 + i3;
end M;
