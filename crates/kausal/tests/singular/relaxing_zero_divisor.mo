// expect: K0441
// options: relaxing
// Eliminating x from the second equation leaves nothing for y.
model M
  Real x, y, z, w;
equation
  x + relax(y) + 2*relax(w) = time;
  x + y + 3*relax(z) = 1;
  y + 2*z + relax(w) = 2;
  z - 2*w + x = 3;
end M;
