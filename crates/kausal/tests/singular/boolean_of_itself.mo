// expect: K0403
// No truth value is its own opposite.
model M
  Boolean b;
equation
  b = not b;
end M;
