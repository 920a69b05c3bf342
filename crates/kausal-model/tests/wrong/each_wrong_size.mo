// expect: K0316
model M
  model A
    parameter Real p = 1;
    Real x = p*time;
  end A;
  A a[3](p = {1, 2});
end M;
