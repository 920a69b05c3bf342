// expect: K0363
model M
  Real x[2];
algorithm
  x[3] := 1;
  x[1] := 2;
  x[2] := 1;
end M;
