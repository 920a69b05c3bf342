// 7.1: equations and components of all bases, bases first; modifiers of extends.
partial model Port
  Real u;
  Real i;
end Port;
partial model OnePort
  extends Port;
  Real p;
equation
  p = u*i;
end OnePort;
model Resistor
  extends OnePort(i(start = 2));
  parameter Real R = 10;
equation
  u = R*i;
end Resistor;
model ExtendsChain
  extends Resistor(R = 5, u(start = 1));
equation
  u = time;
end ExtendsChain;
