// expect: K0227
model M
  model A
    parameter Real p = 1;
    Real x = p*time;
  end A;
  A a[3](each p = {1, 2, 3});
end M;
