// Mixed temperatures.
// expect: K0611
// line: 10
// words: degC;from_degC
model M
  Kausal.Thermal.HeatCapacitor body(C = 10);
  parameter Real T0(unit = "degC") = 20;
  Real T(unit = "K");
equation
  T = T0;
end M;
