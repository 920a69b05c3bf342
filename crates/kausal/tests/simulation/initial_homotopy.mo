// A solution far from the start value, reached from a simpler problem.
model M
  Real x(start = 0);
equation
  0 = homotopy(exp(x - 20) + x - 21 - time, x - 1);
end M;
