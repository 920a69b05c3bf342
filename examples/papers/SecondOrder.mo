model SecondOrder "Inline integration, equations (7) and (8): a second-order system of n = 2 nonlinear equations"
  parameter Real k = 3 "Coupling";
  Real x1[2](start = {1, -0.5}, each fixed = true) "Angles of two coupled pendulums";
  Real x2[2](each start = 0, each fixed = true) "Their velocities";
  Real E "Energy, which is constant";
equation
  der(x1) = x2;
  der(x2) = {-sin(x1[1]) - k*(x1[1] - x1[2]), -sin(x1[2]) - k*(x1[2] - x1[1])};
  E = (x2*x2)/2 - cos(x1[1]) - cos(x1[2]) + k/2*(x1[1] - x1[2])^2;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end SecondOrder;
