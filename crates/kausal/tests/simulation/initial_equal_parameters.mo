// Two names of one state start at two parameters of the same value.
model M
  parameter Real p = 3, q = 3;
  Real a(start = p, fixed = true), b(start = q, fixed = true);
equation
  a = b;
  der(a) = -a;
  annotation(experiment(StopTime = 1));
end M;
