// expect: K0240 K0242 K0402
// A block whose input nobody connects.
block Gain
  input Real u;
  output Real y;
equation
  y = 2*u;
end Gain;
model M
  Gain gain;
end M;
