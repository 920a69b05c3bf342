// Two inductors in series: one state, the voltage splits (index 2).
model Inductor
  parameter Real L = 1;
  Real v, i;
equation
  L*der(i) = v;
end Inductor;
model M
  Inductor a(L = 0.5, i(start = 0, fixed = true)), b(L = 1.5);
  parameter Real R = 4, U = 8;
equation
  a.i = b.i;
  U = R*a.i + a.v + b.v;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end M;
