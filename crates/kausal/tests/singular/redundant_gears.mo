// expect: K0404
// A closed loop of three rigid gears: as many equations as unknowns, but one says
// nothing new: angles, accelerations and the torque inside are not determined.
model M
  Real a, b, c, f, g, h;
equation
  a = 2*b;
  b = 3*c;
  a = 6*c;
  2*der(a) = f + h;
  3*der(b) = g - f;
  der(c) = -g - h;
end M;
