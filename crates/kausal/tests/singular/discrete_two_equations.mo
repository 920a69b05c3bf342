// expect: K0401 K0402
// A truth value with two equations, another one with none.
model M
  Boolean a, b;
equation
  a = time > 0.5;
  a = time > 0.7;
end M;
