model M
algorithm
  (a, b) = f(x);
  (a, b + 1) := f(x);
  (a, , b) := f(x);
end M;
