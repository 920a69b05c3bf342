// Three roots; the simplified equation has one of them.
model M
  Real x(start = 0.5);
equation
  0 = homotopy(x*(x - 3)*(x - 8), x - 8);
end M;
