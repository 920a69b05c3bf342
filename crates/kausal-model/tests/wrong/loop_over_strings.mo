// expect: K0335
model M
  Real x[2];
equation
  for s in {"a", "b"} loop
    x[s] = 1;
  end for;
end M;
