// A resistor and an exponential diode.
model M
  parameter Real R = 100, Is = 1e-12, Ut = 0.025;
  Real u(start = 0.6), i, source;
equation
  source = 5*(1 + time);
  source = R*i + u;
  i = Is*(exp(u/Ut) - 1);
end M;
