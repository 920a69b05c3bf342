// expect: K0202
model M
  model A
    parameter Real p = 1;
  end A;
  A a[3](each p = qq);
end M;
