// expect: K0401 K0402
// A gear between two walls: the angles are given twice, the torque not at all.
connector Flange
  Real phi;
  flow Real tau;
end Flange;
model Gear
  Flange a, b;
  parameter Real ratio = 2;
equation
  a.phi = ratio*b.phi;
  0 = ratio*a.tau + b.tau;
end Gear;
model Wall
  Flange a;
  parameter Real phi0 = 1;
equation
  a.phi = phi0*cos(time);
end Wall;
model M
  Gear gear;
  Wall left, right(phi0 = 3);
equation
  connect(left.a, gear.a);
  connect(gear.b, right.a);
end M;
