within Kausal;
package Units "Physical types"
  type Time = Real(final quantity = "Time", final unit = "s") "Time";
  type Frequency = Real(final quantity = "Frequency", final unit = "Hz") "Frequency";

  // Translation
  type Length = Real(final quantity = "Length", final unit = "m") "Length";
  type Position = Real(final quantity = "Length", final unit = "m") "Position";
  type Velocity = Real(final quantity = "Velocity", final unit = "m/s") "Velocity";
  type Acceleration = Real(final quantity = "Acceleration", final unit = "m/s2") "Acceleration";
  type Area = Real(final quantity = "Area", final unit = "m2", min = 0) "Area";
  type Mass = Real(final quantity = "Mass", final unit = "kg", min = 0) "Mass";
  type Force = Real(final quantity = "Force", final unit = "N") "Force";
  type Stiffness = Real(final quantity = "Stiffness", final unit = "N/m", min = 0) "Stiffness of a spring";
  type Damping = Real(final quantity = "Damping", final unit = "N.s/m", min = 0) "Viscous damping";

  // Rotation
  type Angle = Real(final quantity = "Angle", final unit = "rad", displayUnit = "deg") "Angle";
  type AngularVelocity = Real(final quantity = "AngularVelocity", final unit = "rad/s") "Angular velocity";
  type AngularAcceleration = Real(final quantity = "AngularAcceleration", final unit = "rad/s2")
    "Angular acceleration";
  type Inertia = Real(final quantity = "MomentOfInertia", final unit = "kg.m2") "Moment of inertia";
  type Torque = Real(final quantity = "Torque", final unit = "N.m") "Torque";
  type RotationalStiffness = Real(final quantity = "RotationalStiffness", final unit = "N.m/rad", min = 0)
    "Stiffness of a torsional spring";
  type RotationalDamping = Real(final quantity = "RotationalDamping", final unit = "N.m.s/rad", min = 0)
    "Viscous damping of a rotation";

  // Electricity
  type Voltage = Real(final quantity = "ElectricPotential", final unit = "V") "Voltage or potential";
  type Current = Real(final quantity = "ElectricCurrent", final unit = "A") "Current";
  type Charge = Real(final quantity = "ElectricCharge", final unit = "C") "Charge";
  type Resistance = Real(final quantity = "Resistance", final unit = "Ohm") "Resistance";
  type Conductance = Real(final quantity = "Conductance", final unit = "S") "Conductance";
  type Capacitance = Real(final quantity = "Capacitance", final unit = "F", min = 0) "Capacitance";
  type Inductance = Real(final quantity = "Inductance", final unit = "H") "Inductance";
  type MotorConstant = Real(final quantity = "MotorConstant", final unit = "N.m/A")
    "Torque per current, which equals voltage per angular velocity";

  // Heat
  type Temperature = Real(final quantity = "ThermodynamicTemperature", final unit = "K", min = 0, start = 293.15)
    "Absolute temperature";
  type TemperatureDifference = Real(final quantity = "TemperatureDifference", final unit = "K")
    "Difference of temperatures";
  type HeatFlowRate = Real(final quantity = "Power", final unit = "W") "Heat flow rate";
  type HeatCapacity = Real(final quantity = "HeatCapacity", final unit = "J/K", min = 0) "Heat capacity";
  type ThermalConductance = Real(final quantity = "ThermalConductance", final unit = "W/K")
    "Thermal conductance";
  type ThermalResistance = Real(final quantity = "ThermalResistance", final unit = "K/W") "Thermal resistance";
  type RadiantConductance = Real(final quantity = "RadiantConductance", final unit = "m2", min = 0)
    "Net radiant conductance (area times emissivity and view factor)";

  // What all domains share
  type Power = Real(final quantity = "Power", final unit = "W") "Power";
  type Energy = Real(final quantity = "Energy", final unit = "J") "Energy";
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-80, 40}, {80, -40}}, textString = "m kg s", textColor = {0, 0, 0})}),
    Documentation(info = "<html>
<p>Each physical quantity the library uses is a type with its unit. A type says what a number means: it names the
unit in plots and results and lets the translator report equations that add volts to amperes.</p>
</html>"));
end Units;
