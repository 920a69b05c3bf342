// expect: K0413
// Both sides of a rigid coupling must be states, which cannot be.
model M
  Real a(stateSelect = StateSelect.always, start = 1, fixed = true), b(stateSelect = StateSelect.always), f;
equation
  a = 2*b;
  der(a) = f;
  der(b) = -f - b;
end M;
