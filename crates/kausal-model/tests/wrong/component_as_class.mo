// expect: K0203
model M "a component is not a type"
  Real x = 1;
  x y;
end M;
