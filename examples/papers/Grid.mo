model Grid "Relaxing, section 4: a very large system of equations, solved with the relaxed variables"
  parameter Integer n = 200 "Nodes in each direction";
  parameter Real h = 1/(n + 1) "Distance of the nodes";
  Real v[n + 2, n + 2] "Potential; the outermost nodes are given";
equation
  // x*y*(1 + time) is the solution: both the equation of Laplace and its discretization hold for it exactly.
  for i in 1:n + 2 loop
    v[i, 1] = 0;
    v[i, n + 2] = (i - 1)*h*(1 + time);
  end for;
  for j in 2:n + 1 loop
    v[1, j] = 0;
    v[n + 2, j] = (j - 1)*h*(1 + time);
  end for;
  for i in 2:n + 1 loop
    for j in 2:n + 1 loop
      4*v[i, j] = v[i - 1, j] + v[i, j - 1] + relax(v[i + 1, j]) + relax(v[i, j + 1]);
    end for;
  end for;
  annotation(experiment(StopTime = 1, Interval = 0.5));
end Grid;
