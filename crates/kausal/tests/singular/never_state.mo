// expect: K0413
// The only state is told never to be one.
model M
  Real x(stateSelect = StateSelect.never, start = 1, fixed = true);
equation
  der(x) = -x;
end M;
