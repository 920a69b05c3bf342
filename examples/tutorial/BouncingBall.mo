// Something happens: events.
//
// A when-clause is active at the instant at which its condition becomes true. reinit gives a state a new value there,
// and pre is the value from before. The instant of each bounce is located exactly, however long the steps of the
// integration are. Without the variable `flying` the ball would bounce infinitely often within a finite time.

model BouncingBall "A ball bounces until it lies still"
  parameter Real e = 0.8 "What remains of the velocity at a bounce";
  constant Real g(unit = "m/s2") = 9.80665 "Acceleration of gravity";
  Real h(unit = "m", start = 1, fixed = true) "Height";
  Real v(unit = "m/s", start = 0, fixed = true) "Velocity";
  Boolean flying(start = true, fixed = true) "Does the ball still bounce?";
equation
  der(h) = v;
  der(v) = if flying then -g else 0;
  when h < 0 then
    flying = -e*pre(v) > 0.001;
    reinit(v, if flying then -e*pre(v) else 0);
  end when;
  annotation(experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-6));
end BouncingBall;
