// expect: K0317
model M
  Real x = max({"a", "b"});
end M;
