// Equations with several solutions that nothing but results needs: the solution stays on its branch, however far apart
// output points are, without states too.
model M
  Real x(start = 0), y(start = 2);
equation
  sin(x) = 0.99*sin(5*time);
  y^3 - 3*y = 2 + 0.4*sin(9*time);
  annotation(experiment(StopTime = 60, Interval = 0.6));
end M;
