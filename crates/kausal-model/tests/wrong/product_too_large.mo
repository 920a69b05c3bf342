// expect: K0339
model M "64 million products"
  Real A[400, 400];
  Real B[400, 400] = A*A;
equation
  for i in 1:400, j in 1:400 loop
    A[i, j] = time*i + j;
  end for;
end M;
