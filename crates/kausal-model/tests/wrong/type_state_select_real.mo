// expect: K0317
model M
  Real x(stateSelect = 2.0, start = 0);
equation
  der(x) = 1;
end M;
