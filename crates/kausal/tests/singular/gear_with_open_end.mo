// expect: K0401 K0402
// A torque on a gear whose other end is free and has no inertia.
connector Flange
  Real phi;
  flow Real tau;
end Flange;
model Torque
  Flange flange;
  parameter Real tau = 1;
  Real w;
equation
  flange.tau = -tau;
  w = der(flange.phi);
end Torque;
model Gear
  Flange a, b;
  parameter Real ratio = 2;
equation
  a.phi = ratio*b.phi;
  0 = ratio*a.tau + b.tau;
end Gear;
model M
  Torque torque;
  Gear gear;
equation
  connect(torque.flange, gear.a);
end M;
