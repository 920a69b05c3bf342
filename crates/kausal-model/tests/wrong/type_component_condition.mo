// expect: K0303
model M "the condition of a component"
  parameter Integer n = 1;
  Real x = 1 if n;
end M;
