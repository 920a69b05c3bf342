// A controller is added.
//
// The motor of Motor.mo again: the supply is now a power amplifier, and a controller keeps the speed of the load at
// 8 rad/s although a load torque comes on after one second. Signals go from outputs to inputs, along connections too.

model SpeedControl "Speed control of a DC motor"
  Kausal.Blocks.Sources.Ramp reference(height = 8, duration = 0.3, startTime = 0.1) "Wanted speed of the load";
  Kausal.Blocks.Continuous.LimPID controller(
    kind = Kausal.Blocks.Continuous.LimPID.Kind.PI, k = 3, Ti = 0.15, yMax = 24) "PI controller, limited to 24 V";
  Kausal.Electrical.Sources.SignalVoltage amplifier "Power amplifier";
  Kausal.Electrical.Resistor resistance(R = 0.8) "Winding";
  Kausal.Electrical.Inductor inductance(L = 3e-3, i(start = 0, fixed = true)) "Winding";
  Kausal.Electrical.EMF emf(k = 0.12) "Torque from current, voltage from speed";
  Kausal.Electrical.Ground ground "Zero potential";
  Kausal.Rotational.Inertia rotor(J = 2e-4) "Rotor";
  Kausal.Rotational.Gear gear(ratio = 10) "The load turns ten times more slowly";
  Kausal.Rotational.Inertia load(J = 0.05, phi(start = 0, fixed = true), w(start = 0, fixed = true)) "Load";
  Kausal.Rotational.Sources.Torque brake "Load torque";
  Kausal.Blocks.Sources.Step torque(height = -5, startTime = 1) "Comes on after one second";
  Kausal.Rotational.Sensors.SpeedSensor speed "Measures the speed of the load";
equation
  connect(reference.y, controller.u_s);
  connect(speed.w, controller.u_m);
  connect(controller.y, amplifier.u);
  connect(amplifier.p, resistance.p);
  connect(resistance.n, inductance.p);
  connect(inductance.n, emf.p);
  connect(emf.n, amplifier.n);
  connect(amplifier.n, ground.p);
  connect(emf.shaft, rotor.a);
  connect(rotor.b, gear.a);
  connect(gear.b, load.a);
  connect(torque.y, brake.tau);
  connect(brake.flange, load.b);
  connect(speed.flange, load.b);
  annotation(experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-6));
end SpeedControl;
