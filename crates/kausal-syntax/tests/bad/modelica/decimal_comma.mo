model M
  parameter Real k = 1,5 "gain";
  Resistor r(R = 2,7, T = 293,15);
  Real x = 0,5;
end M;
