model M
  Real input = 1;
  parameter Real type "kind";
  Real end;
  Real x, flow;
  Resistor block(R = 1);
equation
  der(output) = initial;
  x = model + 1;
end M;
