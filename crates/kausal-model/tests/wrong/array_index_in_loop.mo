// expect: K0336
model M "a loop runs over the end"
  parameter Integer n = 3;
  Real x[n];
equation
  x[1] = time;
  for i in 1:n loop
    x[i + 1] = 2*x[i];
  end for;
end M;
