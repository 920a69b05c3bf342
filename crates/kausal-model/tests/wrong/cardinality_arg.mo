// expect: K0202
model M
  Real x = cardinality(time);
end M;
