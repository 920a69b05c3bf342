// expect: K0317
model M "a Real for an Integer"
  parameter Integer n = 2.5;
end M;
