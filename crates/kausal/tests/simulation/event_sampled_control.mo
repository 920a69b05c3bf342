// A continuous plant and a controller that looks every 0.1 s.
model M
  parameter Real K = 3, T = 0.1;
  Real x(start = 1, fixed = true);
  discrete Real u(start = 0, fixed = true);
equation
  der(x) = -x + u;
  when sample(0, T) then
    u = -K*x;
  end when;
  annotation(experiment(StopTime = 2.05, Tolerance = 1e-10));
end M;
