// 15: stream connectors: one, two and three connected; actualStream.
connector Port
  Real p;
  flow Real m;
  stream Real h;
end Port;
model Tank
  Port port;
  parameter Real h = 1;
  Real inflow = inStream(port.h);
  Real actual = actualStream(port.h);
equation
  port.p = 1;
  port.h = h;
end Tank;
model Pump
  Port port;
equation
  port.m = sin(time);
  port.h = 5;
end Pump;
model ConnectStream
  Tank alone;
  Tank a;
  Pump b;
  Tank c(h = 7);
  Pump d;
  Pump e;
equation
  connect(a.port, b.port);
  connect(c.port, d.port);
  connect(c.port, e.port);
end ConnectStream;
