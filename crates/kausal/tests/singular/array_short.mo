// expect: K0240 K0402
// A loop that ends one element too early.
model M
  parameter Integer n = 5;
  Real x[n];
equation
  x[1] = time;
  for i in 2:n - 1 loop
    x[i] = 2*x[i - 1];
  end for;
end M;
