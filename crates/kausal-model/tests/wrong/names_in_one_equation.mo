// expect: K0202 K0202 K0202
model M
  Real x;
equation
  x = foo + bar*sin(baz);
end M;
