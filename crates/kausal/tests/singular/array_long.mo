// expect: K0240 K0401
// Boundary conditions at both ends of a chain that has one already.
model M
  parameter Integer n = 4;
  Real x[n];
equation
  for i in 1:n - 1 loop
    x[i + 1] = 2*x[i] + time;
  end for;
  x[1] = 1;
  x[n] = 1;
end M;
