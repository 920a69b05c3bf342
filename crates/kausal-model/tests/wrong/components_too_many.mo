// expect: K0339
model M
  model Cell
    Real x, y;
  equation
    der(x) = -y;
    y = 2*x;
  end Cell;
  Cell cells[3000, 3000];
end M;
