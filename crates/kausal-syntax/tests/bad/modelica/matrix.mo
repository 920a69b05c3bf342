model M
  Real A[2, 2] = [1, 2 3; 4, 5];
  Real B[2, 2] = [1, 2; 3, 4;
  Real C = 1;
end M;
