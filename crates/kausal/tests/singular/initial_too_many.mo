// expect: K0420
// One initial equation more than states: the one that says nothing new is left out.
model M
  Real x;
initial equation
  x = 1;
  x = 2;
equation
  der(x) = -x;
end M;
