model M
  Real x = end + 1;
  Real y = z[end] + f(end);
end M;
