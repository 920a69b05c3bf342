// 4.4.5: a connection to a component that is absent is gone, with what its other side would need.
connector In = input Real;
connector Out = output Real;
model Gain
  In u;
  Out y = 2*u;
end Gain;
model Bus
  parameter Integer n = 0;
  Out y[n] = fill(time, n);
end Bus;
model ConditionalConnections
  parameter Boolean used = false;
  Bus bus;
  Gain gain if used;
  Gain other;
equation
  connect(bus.y[1], gain.u);
  connect(gain.u, bus.y[2]);
  other.u = time;
end ConditionalConnections;
