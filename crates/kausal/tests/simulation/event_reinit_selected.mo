// A mass on a string without weight, in full turns: states are selected while it runs, and `reinit` sets one or the
// other speed whatever is selected.
model M
  Real x(start = 0, fixed = true), y(start = -1), vx(start = 7, fixed = true), vy, force;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -force*x;
  der(vy) = -force*y;
  x^2 + y^2 = 1;
  when time > 0.3 then
    reinit(vx, -2);
  end when;
  when time > 0.9 then
    reinit(vy, -3);
  end when;
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
end M;
