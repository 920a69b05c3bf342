// Two domains meet: an electrical circuit and a rotating load.
//
// The EMF turns current into torque and speed into voltage. Rotor, gear and load are rigidly connected, so of their
// three angles and angular velocities only one of each is independent. The translator finds this out by differentiating
// the equation of the gear, and gives the system as many states as it really has: three.

model Motor "A DC motor starts a load through a gear"
  Kausal.Electrical.Sources.StepVoltage supply(V = 24, startTime = 0.1) "Switched on after 0.1 s";
  Kausal.Electrical.Resistor resistance(R = 0.8) "Winding";
  Kausal.Electrical.Inductor inductance(L = 3e-3, i(start = 0, fixed = true)) "Winding";
  Kausal.Electrical.EMF emf(k = 0.12) "Torque from current, voltage from speed";
  Kausal.Electrical.Ground ground "Zero potential";
  Kausal.Rotational.Inertia rotor(J = 2e-4) "Rotor";
  Kausal.Rotational.Gear gear(ratio = 10) "The load turns ten times more slowly";
  Kausal.Rotational.Inertia load(J = 0.05, phi(start = 0, fixed = true), w(start = 0, fixed = true)) "Load";
  Kausal.Rotational.Damper bearing(d = 0.1) "Friction of the bearing";
  Kausal.Rotational.Fixed housing "At rest";
equation
  connect(supply.p, resistance.p);
  connect(resistance.n, inductance.p);
  connect(inductance.n, emf.p);
  connect(emf.n, supply.n);
  connect(supply.n, ground.p);
  connect(emf.shaft, rotor.a);
  connect(rotor.b, gear.a);
  connect(gear.b, load.a);
  connect(load.b, bearing.a);
  connect(bearing.b, housing.flange);
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6));
end Motor;
