// Pi missing.
// expect: K0202
// line: 6
// words: Modelica.Constants.pi
model M
  Real x = sin(2*pi*time);
end M;
