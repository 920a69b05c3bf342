// A satellite that returns to where it started.
model M
  parameter Real mu = 0.012277471;
  Real x(start = 0.994, fixed = true), y(start = 0, fixed = true);
  Real vx(start = 0, fixed = true), vy(start = -2.0015851063790825, fixed = true);
  Real d1 = ((x + mu)^2 + y^2)^1.5, d2 = ((x - 1 + mu)^2 + y^2)^1.5;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = x + 2*vy - (1 - mu)*(x + mu)/d1 - mu*(x - 1 + mu)/d2;
  der(vy) = y - 2*vx - (1 - mu)*y/d1 - mu*y/d2;
  annotation(experiment(StopTime = 17.065216560157964, Tolerance = 1e-12));
end M;
