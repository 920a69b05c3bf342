// 4.5.1: short classes with modifiers and dimensions.
type Angle = Real(unit = "rad", displayUnit = "deg");
type Turn = Angle(min = 0, max = 6.28);
type Vector3 = Real[3](each unit = "m");
model Spring
  parameter Real c = 1;
  Real x;
  Real f = c*x;
end Spring;
model Stiff = Spring(c = 100);
model ShortClasses
  Turn phi(start = 1, fixed = true);
  Vector3 r = {1, 2, 3}*phi;
  Vector3 rr[2] = {r, 2*r};
  Stiff s(x = phi);
equation
  der(phi) = -phi;
end ShortClasses;
