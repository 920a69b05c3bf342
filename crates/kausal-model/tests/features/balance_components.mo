// 4.8: every component is balanced by itself; one equation too many here and one too few there are reported although the
// numbers of the whole agree.
model TooMany
  Real x;
  Real y;
equation
  x = time;
  y = 2*x;
  x + y = 3;
end TooMany;
model TooFew
  Real x;
  Real y;
equation
  x = time;
end TooFew;
model BalanceComponents
  TooMany a;
  TooFew b;
end BalanceComponents;
