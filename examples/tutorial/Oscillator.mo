// A mass on a spring, as equations.
//
// der(x) is the derivative of x with respect to time. A variable that appears under der() is integrated from its start
// value. The angular frequency is sqrt(c/m - (d/(2*m))^2), the rate of decay d/(2*m).

model Oscillator "A mass on a spring with a little damping"
  parameter Real m(unit = "kg") = 1 "Mass";
  parameter Real c(unit = "N/m") = 40 "Stiffness of the spring";
  parameter Real d(unit = "N.s/m") = 0.4 "Damping";
  Real x(unit = "m", start = 0.1, fixed = true) "Displacement";
  Real v(unit = "m/s", start = 0, fixed = true) "Velocity";
equation
  der(x) = v;
  m*der(v) = -c*x - d*v;
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-6));
end Oscillator;
