// A sampled proportional-integral controller with memory.
model M
  parameter Real T = 0.25, K = 0.8, I = 0.5;
  Real x(start = 0, fixed = true);
  discrete Real sum(start = 0, fixed = true), u(start = 0, fixed = true);
equation
  der(x) = u - x;
  when sample(0, T) then
    sum = pre(sum) + I*T*(1 - x);
    u = K*(1 - x) + sum;
  end when;
  annotation(experiment(StopTime = 5.1, Tolerance = 1e-10));
end M;
