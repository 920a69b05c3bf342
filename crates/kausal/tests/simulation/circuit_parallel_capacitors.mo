// Two capacitors in parallel: one state, the current splits (index 2).
model Capacitor
  parameter Real C = 1;
  Real v, i;
equation
  C*der(v) = i;
end Capacitor;
model M
  Capacitor c1(C = 1), c2(C = 3);
  parameter Real R = 0.5, U = 2;
  Real i;
initial equation
  c1.v = 0;
equation
  c1.v = c2.v;
  i = c1.i + c2.i;
  U = R*i + c1.v;
  annotation(experiment(StopTime = 4, Tolerance = 1e-8));
end M;
