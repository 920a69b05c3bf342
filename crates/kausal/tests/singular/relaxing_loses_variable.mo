// expect: K0440
// options: relaxing
// x2 is relaxed once too often: section 4 of the paper.
model M
  Real x1, x2, x3;
equation
  2*x1 + relax(x2) + relax(x3) = time;
  x1 + 3*relax(x2) + relax(x3) = 1;
  x1 + x2 + 4*x3 = 2;
end M;
