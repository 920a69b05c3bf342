// expect: K0349
model M
  Real x = max({"a", "b"});
end M;
