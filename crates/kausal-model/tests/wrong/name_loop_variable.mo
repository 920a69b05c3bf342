// expect: K0202
model M "a loop variable is unknown outside its loop"
  Real x[3];
  Real y;
equation
  for k in 1:3 loop
    x[k] = k;
  end for;
  y = k;
end M;
