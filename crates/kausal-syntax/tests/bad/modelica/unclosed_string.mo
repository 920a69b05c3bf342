model M "a model with an open end
  Real x "position";
  Real y "velocity";
equation
  der(x) = y "kinematics";
end M;
