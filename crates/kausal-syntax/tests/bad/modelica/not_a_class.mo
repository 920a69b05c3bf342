Real x;
x = 1;

model M
  Real y
end M;
