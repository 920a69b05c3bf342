// A chain between two values whose coefficient is a state.
model M
  Real x[40];
  Real q(start = 20, fixed = true);
equation
  der(q) = 1;
  x[1] = 1;
  for i in 2:39 loop
    x[i + 1] = q*x[i] - x[i - 1];
  end for;
  x[40] = 2;
  annotation(experiment(StopTime = 1));
end M;
