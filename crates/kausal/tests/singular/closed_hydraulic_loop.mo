// expect: K0401 K0402
// Water in a closed loop without a vessel: the pressures float.
connector Port
  Real p;
  flow Real m;
end Port;
model Pipe
  Port a, b;
equation
  a.m + b.m = 0;
  a.p - b.p = a.m*abs(a.m);
end Pipe;
model Pump
  Port a, b;
equation
  a.m + b.m = 0;
  b.p - a.p = 5;
end Pump;
model M
  Pipe pipe;
  Pump pump;
equation
  connect(pump.b, pipe.a);
  connect(pipe.b, pump.a);
end M;
