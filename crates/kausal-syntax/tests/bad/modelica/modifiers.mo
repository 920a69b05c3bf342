model M
  Real x(start 1);
  Real y(start = );
  Real z(3 = 4);
  R r(model A = B);
  R s(x[1] = 3);
  R t(redeclare = 3);
  Real ok(start = 1);
end M;
