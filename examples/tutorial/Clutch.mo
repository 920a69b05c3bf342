// Structure that changes: sticking and sliding.
//
// An engine takes a car along through a clutch. While the clutch slips there are two independent speeds, and when it
// sticks only one. Nothing of this has to be programmed: the clutch's equations say when it sticks and when it slides.

model Clutch "Starting a car"
  Kausal.Rotational.Inertia engine(J = 0.3, phi(start = 0, fixed = true), w(start = 100, fixed = true)) "Engine";
  Kausal.Rotational.Sources.ConstantTorque torque(tau = 100) "Torque of the engine";
  Kausal.Rotational.Clutch clutch(mu = 0.4, r = 0.2, fn_max = 3000, peak = 1.1) "Clutch";
  Kausal.Blocks.Sources.Ramp pedal(height = 1, duration = 1, startTime = 0.1) "The pedal is released slowly";
  Kausal.Rotational.Gear gear(ratio = 12) "Gearbox and differential";
  Kausal.Translational.Rack wheel(r = 0.3) "Wheels on the road";
  Kausal.Translational.Mass car(m = 1200, s(start = 0, fixed = true), v(start = 0, fixed = true)) "Car";
equation
  connect(torque.flange, engine.a);
  connect(engine.b, clutch.a);
  connect(pedal.y, clutch.u);
  connect(clutch.b, gear.a);
  connect(gear.b, wheel.pinion);
  connect(wheel.rack, car.a);
  annotation(experiment(StartTime = 0, StopTime = 4, Tolerance = 1e-6));
end Clutch;
