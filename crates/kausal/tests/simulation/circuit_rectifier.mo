// An ideal diode and a resistor: either it carries the current or it blocks.
model Diode
  parameter Real Ron = 0, Goff = 0;
  Real v, i, s;
  Boolean off;
equation
  off = s < 0;
  v = s*(if off then 1 else Ron);
  i = s*(if off then Goff else 1);
end Diode;
model M
  Diode diode;
  parameter Real R = 10;
  Real u, load;
equation
  u = 5*sin(time);
  u = diode.v + load;
  load = R*diode.i;
  annotation(experiment(StopTime = 20, Tolerance = 1e-6));
end M;
