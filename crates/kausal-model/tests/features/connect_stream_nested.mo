// 15.2: streams through components in components, where some connectors let the flow in only one way.
connector Port
  Real p;
  flow Real m_flow;
  stream Real h_outflow;
end Port;
model Source
  Port port;
equation
  port.m_flow = -1;
  port.h_outflow = 5;
end Source;
model Sink
  Port port;
equation
  port.p = 1e5;
  port.h_outflow = 3;
end Sink;
model Heater
  Port a(m_flow(min = 0));
  Port b(m_flow(max = 0));
equation
  a.m_flow + b.m_flow = 0;
  a.p = b.p;
  a.h_outflow = 7;
  b.h_outflow = inStream(a.h_outflow) + 1;
end Heater;
model Case
  Port a(m_flow(min = 0));
  Port b(m_flow(max = 0));
  Heater heater;
equation
  connect(a, heater.a);
  connect(heater.b, b);
end Case;
model Housing
  Port a(m_flow(min = 0));
  Port b(m_flow(max = 0));
  Case inside;
  Case beside;
equation
  connect(a, inside.a);
  connect(a, beside.a);
  connect(inside.b, b);
  connect(beside.b, b);
end Housing;
model ConnectStreamNested
  Source source;
  Housing housing;
  Sink sink;
equation
  connect(source.port, housing.a);
  connect(housing.b, sink.port);
end ConnectStreamNested;
