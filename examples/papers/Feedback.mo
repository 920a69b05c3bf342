model Feedback "Inline integration, figure 3: a nonlinear plant with a linear controller"
  parameter Real w = 4 "Frequency of the controller", D = 0.7 "Its damping", k = 0.5 "Gain of the feedback";
  Real x(start = 0.5, fixed = true) "State of the plant";
  Real u, y;
  Real x1(start = 0, fixed = true), x2(start = 0, fixed = true) "States of the controller";
equation
  der(x) = -x - x^3 + u + sin(time);
  y = x + 0.1*x^3;
  der(x1) = x2;
  der(x2) = -2*w*D*x2 - w^2*x1 + w^2*y;
  u = -k*x1;
  annotation(experiment(StopTime = 5, Tolerance = 1e-8));
end Feedback;
