// Two transistors: five capacitors, eight node voltages, nonlinear systems between them.
function junction
  input Real u;
  output Real i;
algorithm
  i := 1e-6*(exp(u/0.026) - 1);
end junction;
model M
  parameter Real Ub = 6, alpha = 0.99, R0 = 1000, R = 9000;
  parameter Real pi = 3.14159265358979323846;
  Real y[8](start = {0, 3, 3, 6, 3, 3, 6, 0});
  Real c1(start = 3, fixed = true), c3(start = -3, fixed = true), c5(start = -6, fixed = true);
  Real i1, i3, i5;
  Real g1 = junction(y[2] - y[3]), g2 = junction(y[5] - y[6]);
initial equation
  y[3] = 3;
  y[6] = 3;
equation
  c1 = y[2] - y[1];
  c3 = y[5] - y[4];
  c5 = y[8] - y[7];
  i1 = 1e-6*der(c1);
  i3 = 3e-6*der(c3);
  i5 = 5e-6*der(c5);
  i1 = (y[1] - 0.1*sin(200*pi*time))/R0;
  -i1 = -Ub/R + 2*y[2]/R - (alpha - 1)*g1;
  -2e-6*der(y[3]) = -g1 + y[3]/R;
  i3 = (y[4] - Ub)/R + alpha*g1;
  -i3 = -Ub/R + 2*y[5]/R - (alpha - 1)*g2;
  -4e-6*der(y[6]) = -g2 + y[6]/R;
  i5 = (y[7] - Ub)/R + alpha*g2;
  -i5 = y[8]/R;
  annotation(experiment(StopTime = 0.2, Tolerance = 1e-8));
end M;
