// A resistor and a capacitor on an alternating voltage, from rest.
model M
  parameter Real w = 10, T = 0.2;
  Real v(start = 0, fixed = true);
equation
  T*der(v) = sin(w*time) - v;
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
end M;
