// Periodic sources that began several periods before the simulation does.
model M
  Kausal.Blocks.Sources.Pulse pulse(startTime = -3.3);
  Kausal.Blocks.Sources.SawTooth saw(startTime = -3.3);
  Kausal.Blocks.Sources.BooleanPulse onOff(startTime = -3.3);
  Kausal.Electrical.Sources.PulseVoltage voltage(startTime = -3.3);
  Kausal.Electrical.Ground ground;
  Real first = pulse.y, second = saw.y, third = if onOff.y then 1 else 0, fourth = voltage.v;
  Real area[4](each start = 0, each fixed = true);
equation
  connect(voltage.p, ground.p);
  der(area) = {first, second, third, fourth};
  annotation(experiment(StopTime = 1.5, Tolerance = 1e-10));
end M;
