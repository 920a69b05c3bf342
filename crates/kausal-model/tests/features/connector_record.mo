// 9.1: connectors made of records, with values at their declarations, conditional and in arrays.
record Phasor
  Real re;
  Real im;
end Phasor;
connector PhasorOutput = output Phasor;
connector PhasorInput = input Phasor;
block Source
  PhasorOutput y = Phasor(cos(time), sin(time));
  PhasorOutput two[2] = {Phasor(1, time), y};
end Source;
block Sink
  PhasorInput u;
  Real power = u.re^2 + u.im^2;
end Sink;
model ConnectorRecord
  parameter Boolean more = true;
  Source source;
  Sink sink, last[2];
  PhasorOutput out[2] if more;
equation
  connect(source.y, sink.u);
  connect(source.two, last.u);
  connect(source.two, out);
end ConnectorRecord;
