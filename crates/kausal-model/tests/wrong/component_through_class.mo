// expect: K0249
model M
  model A
    parameter Real p = 1;
  end A;
  Real x = A.p;
end M;
