model M
  Real x;
  /* the rest
equation
  x = 1;
end M;
