// A capacitor is charged through a resistor.
//
// Everything the model needs is in this file: a connector, the classes of five components, and a circuit made of
// them. After the switch-on at t = 0 the capacitor's voltage is v(t) = V*(1 - exp(-t/(R*C))).

connector Pin "Electrical pin"
  Real v(unit = "V") "Potential at the pin";
  flow Real i(unit = "A") "Current flowing into the component";
end Pin;

partial model OnePort "What all components with two pins have in common"
  Pin p "Positive pin";
  Pin n "Negative pin";
  Real v(unit = "V") "Voltage drop from p to n";
  Real i(unit = "A") "Current from p to n";
equation
  v = p.v - n.v;
  0 = p.i + n.i;
  i = p.i;
end OnePort;

model Resistor "Ohm's law"
  extends OnePort;
  parameter Real R(unit = "Ohm") = 1 "Resistance";
equation
  v = R*i;
end Resistor;

model Capacitor "The current is the rate of change of the charge"
  extends OnePort;
  parameter Real C(unit = "F") = 1 "Capacitance";
equation
  C*der(v) = i;
end Capacitor;

model ConstantVoltage "Ideal battery"
  extends OnePort;
  parameter Real V(unit = "V") = 1 "Voltage";
equation
  v = V;
end ConstantVoltage;

model Ground "Zero potential"
  Pin p;
equation
  p.v = 0;
end Ground;

model RC "A capacitor charged through a resistor"
  ConstantVoltage source(V = 10);
  Resistor resistor(R = 1000);
  Capacitor capacitor(C = 1e-3, v(start = 0, fixed = true));
  Ground ground;
equation
  connect(source.p, resistor.p);
  connect(resistor.n, capacitor.p);
  connect(capacitor.n, source.n);
  connect(source.n, ground.p);
  annotation(experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-6));
end RC;
