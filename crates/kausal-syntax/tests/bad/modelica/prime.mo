model M
  Real x, v;
equation
  x' = v;
  v'' = -x;
  y = A'*b;
end M;
