model M
  parameter Real k == 2;
  Resistor r(R == 5);
  type T == Real;
end M;
