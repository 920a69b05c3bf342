// expect: K0317
model M "the start value is a String"
  Real x(start = "zero");
equation
  der(x) = 1;
end M;
