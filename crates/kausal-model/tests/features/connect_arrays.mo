// 9.1: arrays of connectors, nested connectors, records in connectors, causal connectors.
connector Pin
  Real v;
  flow Real i;
end Pin;
record State
  Real p;
  Real T;
end State;
connector Plug
  Pin pin[2];
  State state;
end Plug;
connector RealInput = input Real;
connector RealOutput = output Real;
model Source
  Plug plug;
  RealInput u;
equation
  plug.pin[1].v = u;
  plug.pin[2].v = 0;
  plug.state = State(1, 2);
end Source;
model Sink
  Plug plug;
  RealOutput y = plug.pin[1].i;
equation
  plug.pin.v = 5*plug.pin.i;
end Sink;
model ConnectArrays
  Source source;
  Sink sink[2];
  RealInput u;
  RealOutput y[2];
equation
  connect(u, source.u);
  connect(sink.y, y);
  for i in 1:2 loop
    connect(source.plug, sink[i].plug);
  end for;
end ConnectArrays;
