// expect: K0343
model M "the branches have different types"
  Real x = if time > 1 then 1 else "two";
end M;
