// A limiter inside a loop: the equations and the condition depend on each other.
model M
  Real u, y, e;
equation
  e = 4*sin(time) - 0.5*y;
  u = 2*e;
  y = if u > 1 then 1 elseif u < -1 then -1 else u;
  annotation(experiment(StopTime = 7, Tolerance = 1e-8));
end M;
