model M "a model"
  Real x "position;
  Real y "velocity";
  Real z "another";
equation
  der(x) = y "kinematics";
end M;
