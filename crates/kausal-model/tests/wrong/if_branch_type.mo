// expect: K0343
model M
  Real x = if true then 1 else "two";
end M;
