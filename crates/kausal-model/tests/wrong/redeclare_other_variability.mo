// expect: K0324
model M
  model A
    replaceable parameter Real p = 1;
  end A;
  A a(redeclare Real p = time);
end M;
