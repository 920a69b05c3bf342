// A recurrence between two boundary values: computed from one end it would lose every digit.
model M
  parameter Integer n = 40;
  Real x[n];
equation
  x[1] = 1 + time;
  for i in 2:n - 1 loop
    x[i + 1] = 3*x[i] - x[i - 1];
  end for;
  x[n] = 1;
end M;
