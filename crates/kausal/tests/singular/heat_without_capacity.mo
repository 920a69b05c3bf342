// expect: K0401 K0402
// A wall heated at both ends: the heat is given twice, the temperature not at all.
connector Port
  Real T;
  flow Real Q;
end Port;
model Conductor
  Port a, b;
equation
  a.Q + b.Q = 0;
  a.Q = 3*(a.T - b.T);
end Conductor;
model Heater
  Port a;
  parameter Real Q = 1;
equation
  a.Q = -Q;
end Heater;
model M
  Conductor wall;
  Heater left(Q = 100), right(Q = -50);
equation
  connect(left.a, wall.a);
  connect(wall.b, right.a);
end M;
