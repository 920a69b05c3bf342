// expect: K0202
model M "a number has no members"
  Real x = 1;
  Real y = x.value;
end M;
