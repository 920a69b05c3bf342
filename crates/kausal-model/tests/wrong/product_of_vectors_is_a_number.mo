// expect: K0316
model M
  Real a[3] = {1, 2, 3};
  Real b[3] = {1, 2, 3};
  Real c[3] = a*b;
end M;
