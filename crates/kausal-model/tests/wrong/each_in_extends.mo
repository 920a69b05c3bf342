// expect: K0227
model M
  model A
    parameter Real p = 1;
  end A;
  extends A(each p = 2);
end M;
