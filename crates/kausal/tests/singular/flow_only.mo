// expect: K0240 K0241 K0402
// A flow variable in no equation but its own balance.
connector Port
  Real p;
  flow Real m;
end Port;
model Pump
  Port a, b;
  Real head;
equation
  a.m + b.m = 0;
  b.p = a.p + head;
end Pump;
model Tank
  Port a;
equation
  a.p = 1;
end Tank;
model M
  Pump pump;
  Tank left, right;
equation
  connect(left.a, pump.a);
  connect(pump.b, right.a);
end M;
