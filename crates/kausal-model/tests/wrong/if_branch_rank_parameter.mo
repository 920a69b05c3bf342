// expect: K0343
model M
  parameter Boolean p = true;
  Real x = if p then 1 else {1, 2};
end M;
