// expect: K0212
model M
  inner Real k = 1;
  inner Real k = 2;
end M;
