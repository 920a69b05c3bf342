model M
  Real x;
end M;
equation
  x = 1;
end M;
