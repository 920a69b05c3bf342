// Two flywheels coupled by an ideal gear: one of them is not free (index 3).
connector Flange
  Real phi;
  flow Real tau;
end Flange;
model Inertia
  Flange a, b;
  parameter Real J = 1;
  Real w, phi;
equation
  phi = a.phi;
  phi = b.phi;
  w = der(phi);
  J*der(w) = a.tau + b.tau;
end Inertia;
model Gear
  Flange a, b;
  parameter Real ratio = 1;
equation
  a.phi = ratio*b.phi;
  0 = ratio*a.tau + b.tau;
end Gear;
model Torque
  Flange b;
  parameter Real tau = 1;
equation
  b.tau = -tau;
end Torque;
model M
  Inertia motor(J = 0.5), load(J = 9, phi(start = 0, fixed = true), w(start = 0, fixed = true));
  Gear gear(ratio = 3);
  Torque torque(tau = 6);
equation
  connect(torque.b, motor.a);
  connect(motor.b, gear.a);
  connect(gear.b, load.a);
  annotation(experiment(StopTime = 2, Tolerance = 1e-9));
end M;
