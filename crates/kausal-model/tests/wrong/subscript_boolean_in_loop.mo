// expect: K0335
model M
  Real x[2];
equation
  for b in Boolean loop
    x[b] = if b then 1 else 2;
  end for;
end M;
