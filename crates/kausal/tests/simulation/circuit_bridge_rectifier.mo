// Four ideal diodes that switch in pairs, with a small resistance and conductance.
model Diode
  parameter Real Ron = 1e-3, Goff = 1e-3;
  Real v, i, s;
  Boolean off;
equation
  off = s < 0;
  v = s*(if off then 1 else Ron);
  i = s*(if off then Goff else 1);
end Diode;
model M
  Diode d1, d2, d3, d4;
  parameter Real R = 10;
  Real u, a, p, n, load, i;
equation
  u = sin(time);
  d1.v = a - p;
  d2.v = (a - u) - p;
  d3.v = n - a;
  d4.v = n - (a - u);
  d1.i + d2.i = load/R;
  d3.i + d4.i = load/R;
  load = p - n;
  i + d3.i = d1.i;
  n = 0;
  annotation(experiment(StopTime = 10, Tolerance = 1e-6));
end M;
