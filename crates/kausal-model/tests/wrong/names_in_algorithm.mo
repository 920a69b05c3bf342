// expect: K0202 K0202 K0202
model M
  Real x;
algorithm
  x := foo + bar;
  x := baz;
end M;
