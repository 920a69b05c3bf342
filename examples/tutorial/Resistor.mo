// The smallest circuit: a battery and a resistor.
//
// A model is a list of variables and of equations between them. Here there are three unknowns and three equations;
// in which order they are solved, and for what, is not written down anywhere. That is found out by the translator.

model Resistor "A battery drives a current through a resistor"
  parameter Real V(unit = "V") = 9 "Voltage of the battery";
  parameter Real R(unit = "Ohm") = 300 "Resistance";
  Real v(unit = "V") "Voltage over the resistor";
  Real i(unit = "A") "Current";
  Real P(unit = "W") "Power that becomes heat";
equation
  v = R*i "Ohm's law";
  P = v*i;
  v = V "The battery";
  annotation(experiment(StartTime = 0, StopTime = 1));
end Resistor;
