// 4.4.5: components that do not exist, and connections to them, are gone.
connector Pin
  Real v;
  flow Real i;
end Pin;
model Source
  Pin p;
  parameter Real V = 1;
equation
  p.v = V;
end Source;
model Load
  Pin p;
equation
  p.v = 10*p.i;
end Load;
model Conditional
  parameter Boolean useExtra = false;
  parameter Integer n = 1;
  Source source;
  Load load;
  Load extra if useExtra;
  Load more if n > 0;
equation
  connect(source.p, load.p);
  connect(source.p, extra.p);
  connect(source.p, more.p);
end Conditional;
