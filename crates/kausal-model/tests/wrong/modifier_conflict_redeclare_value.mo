// expect: K0226
model M
  model A
    replaceable parameter Real p = 1;
  end A;
  A a(redeclare parameter Real p = 2, p = 3);
end M;
