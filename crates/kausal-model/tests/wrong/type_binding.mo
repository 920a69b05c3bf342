// expect: K0317
model M "a String for a Real"
  parameter Real x = "one";
end M;
