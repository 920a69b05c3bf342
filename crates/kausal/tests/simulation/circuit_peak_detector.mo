// A capacitor charged through an ideal diode: it follows the source and then holds.
model Diode
  Real v, i, s;
  Boolean off;
equation
  off = s < 0;
  v = s*(if off then 1 else 0);
  i = s*(if off then 0 else 1);
end Diode;
model M
  Diode diode;
  parameter Real T = 0.1;
  Real u(start = 0, fixed = true);
equation
  sin(time) = diode.v + T*diode.i + u;
  der(u) = diode.i;
  annotation(experiment(StopTime = 6, Tolerance = 1e-8));
end M;
